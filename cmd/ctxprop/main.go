// Command ctxprop finds request deadlines that get lost in Go services.
//
//	ctxprop ./...                            analyse a program
//	ctxprop explain CTX101                   what a code means
//	go vet -vettool=$(which ctxprop) ./...   the same rules under go vet
//
// See ctxprop help for flags and exit codes.
package main

import (
	"context"
	"fmt"
	"os"

	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/ctxprop/ctxprop"
	"github.com/ctxprop/ctxprop/internal/cli"
	"github.com/ctxprop/ctxprop/internal/guard"
)

func main() {
	args := os.Args[1:]
	if !cli.IsVetProtocol(args) {
		os.Exit(cli.Main(context.Background(), os.Environ(), os.Stdin, os.Stdout, os.Stderr, args))
	}
	if err := cli.VetProblem(args); err != nil {
		fmt.Fprintf(os.Stderr, "ctxprop: %v\n", err)
		os.Exit(1)
	}
	unitchecker.Main(guard.Analyzers(ctxprop.Suite)...)
}
