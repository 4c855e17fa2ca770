package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
)

// A tool is one row of the comparison.
type tool struct {
	name string
	// pkg@version is what is built. A pkg that begins with a dot is a folder
	// of this repository, relative to bench; no pkg means the go command's own vet.
	pkg, version string
	command      bool // it can be run by itself
	vettool      bool // it speaks the vet protocol
	binary       string
}

// The names that the targets refer to.
const (
	self         = "ctxprop"
	goVet        = "go vet"
	noop         = "noop"
	contextcheck = "contextcheck"
	gilthoniel   = "Gilthoniel/ctxprop"
	noctx        = "noctx"
)

// known lists the tools in the order in which a round runs them. Versions are
// pinned so that figures taken months apart can be compared.
var known = []tool{
	{name: goVet, vettool: true},
	{name: noop, pkg: "./noop", command: true, vettool: true},
	{name: self, pkg: "../cmd/ctxprop", command: true, vettool: true},
	{name: contextcheck, pkg: "github.com/kkHAIKE/contextcheck/cmd/contextcheck", version: "v1.1.6", command: true, vettool: true},
	{name: gilthoniel, pkg: "github.com/Gilthoniel/ctxprop/cmd/ctxprop", version: "4a83301b3323ed05bcb6b9934528b6d95f25af76", command: true, vettool: true},
	{name: noctx, pkg: "github.com/sonatard/noctx/cmd/noctx", version: "v0.5.1", vettool: true},
}

// build makes the binaries. A tool that cannot be built is left out, with the
// reason: figures against the others are still worth having.
func build(ctx context.Context, bin string, sources map[string]string) (tools []tool, skipped []error) {
	for i, t := range known {
		if t.pkg != "" {
			var err error
			// One folder each, for two of them have the same name.
			t.binary, err = buildTool(ctx, t, filepath.Join(bin, fmt.Sprint(i)), sources[t.name])
			if err != nil {
				skipped = append(skipped, fmt.Errorf("%s: %w", t.name, err))
				continue
			}
		}
		tools = append(tools, t)
	}
	return tools, skipped
}

func buildTool(ctx context.Context, t tool, dir, source string) (string, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	var cmd *exec.Cmd
	switch {
	case source != "":
		cmd = exec.CommandContext(ctx, "go", "build", "-o", dir+string(filepath.Separator), t.pkg)
		cmd.Dir = source
	case t.version == "": // ours: built in the module that it is in
		cmd = exec.CommandContext(ctx, "go", "build", "-o", dir+string(filepath.Separator), ".")
		cmd.Dir = t.pkg
	default:
		cmd = exec.CommandContext(ctx, "go", "install", t.pkg+"@"+t.version)
		cmd.Env = append(os.Environ(), "GOBIN="+dir)
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", errors.Join(err, errors.New(string(out)))
	}
	return filepath.Join(dir, path.Base(t.pkg)), nil
}
