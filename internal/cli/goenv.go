package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/version"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// goEnv is what the go command says about the directory of a run.
type goEnv struct {
	dir       string // absolute
	GOVERSION string
	GOMOD     string
	GOWORK    string
	GOFLAGS   string
}

// inModule reports whether the directory belongs to a module or a workspace.
func (g *goEnv) inModule() bool {
	return g.GOMOD != "" && g.GOMOD != os.DevNull || g.GOWORK != "" && g.GOWORK != "off"
}

// goEnv asks the go command about the directory that -C names.
func (p *process) goEnv(ctx context.Context, dir string) (*goEnv, error) {
	abs, err := workingDir(dir)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, "go", "env", "-json", "GOVERSION", "GOMOD", "GOWORK", "GOFLAGS")
	cmd.Dir = abs
	cmd.Env = append(p.env[:len(p.env):len(p.env)], "PWD="+abs)
	out, err := cmd.Output()
	if err != nil {
		return nil, goCommandError(err)
	}
	g := &goEnv{dir: abs}
	if err := json.Unmarshal(out, g); err != nil {
		return nil, fmt.Errorf("cannot read the output of go env: %v", err)
	}
	return g, olderThan(runtime.Version(), g.GOVERSION)
}

// workingDir checks -C and makes it absolute.
func workingDir(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("cannot find the working directory: %v", err)
	}
	info, err := os.Stat(abs)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return "", fmt.Errorf("-C %s: no such directory", dir)
	case err != nil:
		return "", fmt.Errorf("-C %s: %v", dir, errors.Unwrap(err))
	case !info.IsDir():
		return "", fmt.Errorf("-C %s: not a directory", dir)
	}
	// Otherwise the go command cannot be started there, which reads as if it
	// were the go command that is out of reach.
	if _, err := os.ReadDir(abs); err != nil {
		return "", err
	}
	return abs, nil
}

// goCommandError explains why the go command could not be run or failed.
func goCommandError(err error) error {
	if errors.Is(err, exec.ErrNotFound) {
		return errors.New("no go command in PATH; ctxprop needs it to load packages: install Go or add its bin directory to PATH")
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && len(exit.Stderr) > 0 {
		return errors.New(strings.TrimPrefix(strings.TrimSpace(string(exit.Stderr)), "go: "))
	}
	return fmt.Errorf("go env: %v", err)
}

// olderThan returns an error if a tool built with Go version tool cannot read
// the code and export data of version users: the type checker that is linked
// into the tool knows no language newer than its own, and fails in the
// standard library with errors that do not say why.
func olderThan(tool, users string) error {
	if !version.IsValid(tool) || !version.IsValid(users) { // a development build: let it try
		return nil
	}
	if version.Compare(version.Lang(tool), version.Lang(users)) >= 0 {
		return nil
	}
	return fmt.Errorf("built with %s, which cannot analyse code for %s; rebuild it with that Go: go install github.com/ctxprop/ctxprop/cmd/ctxprop@latest", tool, users)
}
