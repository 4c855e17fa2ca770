package cli

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
)

// version prints what a bug report needs: our version, the Go that the binary
// was built with, since it bounds the language that can be analysed, and that
// of x/tools, whose driver must match the go command's vet protocol.
func (p *process) version(_ context.Context, args []string) error {
	if len(args) > 0 {
		return usagef("version takes no arguments")
	}
	self, tools := moduleVersions()
	_, err := fmt.Fprintf(p.stdout, "ctxprop %s (%s %s/%s, golang.org/x/tools %s)\n",
		self, runtime.Version(), runtime.GOOS, runtime.GOARCH, tools)
	return err
}

// moduleVersions returns the versions of this module and of x/tools, as far
// as the build recorded them.
func moduleVersions() (self, tools string) {
	self, tools = "(devel)", "(unknown)"
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return self, tools
	}
	if info.Main.Path == "github.com/ctxprop/ctxprop" && info.Main.Version != "" {
		self = info.Main.Version
	}
	for _, m := range info.Deps {
		switch {
		case m.Path == "golang.org/x/tools":
			tools = m.Version
		case m.Path == "github.com/ctxprop/ctxprop": // linked into somebody else's command
			self = m.Version
		}
	}
	return self, tools
}
