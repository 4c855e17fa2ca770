// Command ctxprop-golangci-lint is golangci-lint with ctxprop among its linters.
//
//	go install github.com/ctxprop/ctxprop/golangci/cmd/ctxprop-golangci-lint@latest
//	ctxprop-golangci-lint run -c .golangci-plugin.yml ./...
//
// It is what golangci-lint custom would build, without a clone of golangci-lint.
// The module of golangci-lint is in no module that users of ctxprop import:
// this one stands alone.
package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/golangci/golangci-lint/v2/pkg/commands"
	"github.com/golangci/golangci-lint/v2/pkg/exitcodes"

	_ "github.com/ctxprop/ctxprop/golangci"
)

func main() {
	if err := commands.Execute(buildInfo()); err != nil {
		os.Exit(exitcodes.Failure) // it has said why
	}
}

// buildInfo describes this program to golangci-lint, which keeps results in its
// cache by the version. No number would do: the same golangci-lint with another
// ctxprop would repeat results of the old one. With the version of a development
// build it takes the hash of the executable instead.
func buildInfo() commands.BuildInfo {
	info := commands.BuildInfo{GoVersion: runtime.Version(), Version: "(devel)", Commit: "unknown modules", Date: "unknown date"}
	if b, ok := debug.ReadBuildInfo(); ok {
		var versions []string
		for _, m := range b.Deps {
			switch m.Path {
			case "github.com/golangci/golangci-lint/v2":
				versions = append(versions, "golangci-lint "+m.Version)
			case "github.com/ctxprop/ctxprop":
				versions = append(versions, "ctxprop "+m.Version)
			}
		}
		info.Commit = strings.Join(versions, ", ")
	}
	return info
}
