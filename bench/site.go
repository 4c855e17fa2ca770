package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// The stages of a tool's run, in the order of the report.
const (
	asCommand = "command" // one process, everything it imports is compiled
	cold      = "vettool, cold"
	warm      = "vettool, warm"
	touched   = "vettool, one package edited"
)

var stages = []string{asCommand, cold, warm, touched}

// A site is the copy of the checkout that all tools run on.
type site struct {
	dir      string // of the copy
	packages string
	touch    string // absolute name of the file to edit, or ""
	// compiled is a build cache that holds the export data of everything that
	// the packages import, and no result of any tool. Each vettool begins with
	// its own copy, so that none reads what another one has computed, and
	// compiling, which costs all the same, does not water the ratios down.
	compiled string
	scratch  string // the cache of the tool that is measured
}

func newSite(ctx context.Context, cfg config, tmp string) (*site, error) {
	s := &site{
		dir:      filepath.Join(tmp, "checkout"),
		packages: cfg.packages,
		compiled: filepath.Join(tmp, "compiled"),
		scratch:  filepath.Join(tmp, "cache"),
	}
	if err := os.CopyFS(s.dir, os.DirFS(cfg.dir)); err != nil {
		return nil, err
	}
	if cfg.touch != "" {
		s.touch = filepath.Join(s.dir, filepath.FromSlash(cfg.touch))
		if _, err := os.Stat(s.touch); err != nil {
			return nil, err
		}
	}
	cmd := exec.CommandContext(ctx, "go", "list", "-export", "-deps", "-test", s.packages)
	cmd.Dir = s.dir
	cmd.Env = withCache(s.compiled)
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("compile %s: %w", s.packages, err)
	}
	return s, nil
}

// measure takes every stage of one tool once.
func (s *site) measure(ctx context.Context, t tool, round int, all *samples) error {
	if t.command {
		if err := s.take(ctx, t, asCommand, s.compiled, all, t.binary, s.packages); err != nil {
			return err
		}
	}
	if !t.vettool {
		return nil
	}
	args := []string{"go", "vet", s.packages}
	if t.binary != "" {
		args = []string{"go", "vet", "-vettool=" + t.binary, s.packages}
	}
	if err := os.CopyFS(s.scratch, os.DirFS(s.compiled)); err != nil {
		return err
	}
	defer os.RemoveAll(s.scratch)
	for _, stage := range []string{cold, warm} {
		if err := s.take(ctx, t, stage, s.scratch, all, args...); err != nil {
			return err
		}
	}
	if s.touch == "" {
		return nil
	}
	restore, err := edit(s.touch, round)
	if err != nil {
		return err
	}
	defer restore()
	return s.take(ctx, t, touched, s.scratch, all, args...)
}

// take runs one command line and keeps what it cost.
func (s *site) take(ctx context.Context, t tool, stage, cache string, all *samples, args ...string) error {
	cost, err := spend(ctx, s.dir, withCache(cache), args)
	if err != nil {
		return fmt.Errorf("%s (%s): %w", t.name, stage, err)
	}
	all.add(stage, t.name, cost)
	return nil
}

// edit adds an unexported function to a file, as a small change would: the
// package and those that import it are compiled and looked at again.
func edit(file string, round int) (restore func(), err error) {
	old, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	added := fmt.Sprintf("\nfunc benchEdit%d() int { return %d }\n", round, round)
	if err := os.WriteFile(file, append(old[:len(old):len(old)], added...), 0o666); err != nil {
		return nil, err
	}
	return func() { os.WriteFile(file, old, 0o666) }, nil
}

func withCache(dir string) []string { return append(os.Environ(), "GOCACHE="+dir) }
