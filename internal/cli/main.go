package cli

import (
	"context"
	"io"

	"golang.org/x/tools/go/analysis"

	"github.com/ctxprop/ctxprop"
)

// Main runs the command, prints its error if any, and returns its exit code:
// 0 nothing found, 1 the tool failed, 2 wrong usage, 3 findings.
func Main(ctx context.Context, env []string, stdin io.Reader, stdout, stderr io.Writer, args []string) int {
	return exitCode(Run(ctx, env, stdin, stdout, stderr, args), stderr)
}

// Run runs the command. Results go to stdout, progress and -v to stderr; an
// error, which may carry its exit code, is left for the caller to print.
func Run(ctx context.Context, env []string, stdin io.Reader, stdout, stderr io.Writer, args []string) error {
	p := &process{env: env, stdin: stdin, stdout: stdout, stderr: stderr, suite: newSuite}
	return p.run(ctx, args)
}

func newSuite(own []string, catalog string) []*analysis.Analyzer {
	// checkCatalog has looked at the lines, for the code as it is now.
	return ctxprop.New(ctxprop.Options{Own: own, Catalog: catalog, Lenient: true})
}
