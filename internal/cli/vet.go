package cli

import (
	"errors"
	"os"
	"runtime"
	"slices"
	"strings"
)

// IsVetProtocol reports whether the go command runs us as its vet or fix tool:
// with -V=full or -flags to ask about us, and then once per package with the
// name of a configuration file at the end.
func IsVetProtocol(args []string) bool {
	if len(args) == 0 {
		return false
	}
	return args[0] == "-V=full" || args[0] == "-flags" || strings.HasSuffix(args[len(args)-1], ".cfg")
}

// VetProblem returns what keeps the vet protocol from giving true results
// under the go command that runs us, or nil. It answers to -V=full only: that
// is asked once per run, and what is written to stderr then reaches the user.
//
// The go command sets GOVERSION and GOFLAGS in the environment of its tools.
func VetProblem(args []string) error {
	if !slices.Contains(args, "-V=full") {
		return nil
	}
	if err := olderThan(runtime.Version(), os.Getenv("GOVERSION")); err != nil {
		return err
	}
	return trimmedPaths(os.Getenv("GOFLAGS"))
}

// trimmedPaths refuses GOFLAGS=-trimpath. It takes the directory out of the
// key under which the go command caches what a vet tool printed, but not out
// of the file names in it: a second checkout of the same code is shown the
// names of the first, and -fix then writes into the first.
func trimmedPaths(goflags string) error {
	trim := false
	for _, f := range strings.Fields(goflags) {
		switch strings.TrimLeft(f, "-") {
		case "trimpath", "trimpath=true", "trimpath=1":
			trim = true
		case "trimpath=false", "trimpath=0":
			trim = false
		}
	}
	if !trim {
		return nil
	}
	return errors.New("GOFLAGS has -trimpath, with which go vet repeats findings, and -fix changes files, of another checkout; take it out for this run, or run ctxprop itself")
}
