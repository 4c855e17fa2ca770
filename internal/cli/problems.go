package cli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// maxProblems bounds what is printed of a program that does not build.
const maxProblems = 10

// problems returns one error for everything that keeps the packages from
// being analysed, or nil. Findings in half-understood code would not deserve
// belief, so there are none then.
func problems(pkgs []*packages.Package, o *options, g *goEnv) error {
	if len(pkgs) == 0 {
		return noPackages(o, g)
	}
	var lines []string
	packages.Visit(pkgs, nil, func(pkg *packages.Package) {
		if len(pkg.Errors) > 0 && !brokenBelow(pkg) {
			lines = append(lines, packageProblems(pkg, g.dir)...)
		}
	})
	if len(lines) == 0 {
		return nil
	}
	if !g.inModule() {
		return noModule(g)
	}
	slices.Sort(lines)
	lines = slices.Compact(lines) // a file's package and its test variant have the same errors
	return problemError(lines)
}

// brokenBelow reports whether one of pkg's imports has errors; then those of
// pkg itself are most likely their consequence.
func brokenBelow(pkg *packages.Package) bool {
	for _, imp := range pkg.Imports {
		if imp.IllTyped && imp != pkg {
			return true
		}
	}
	return false
}

// packageProblems renders the errors of one package as "place: text".
func packageProblems(pkg *packages.Package, dir string) []string {
	var lines []string
	parsed := make(map[string]bool)
	unloadable := slices.ContainsFunc(pkg.Errors, func(e packages.Error) bool {
		return e.Kind == packages.ListError && !compilerOutput(e)
	})
	for _, e := range pkg.Errors {
		if unloadable && e.Kind != packages.ListError {
			continue // the go command could not make sense of the package to begin with
		}
		if e.Kind == packages.ParseError {
			// What follows a first syntax error in a file is its echo.
			file, _, _ := strings.Cut(e.Pos, ":")
			if parsed[file] {
				continue
			}
			parsed[file] = true
		}
		if compilerOutput(e) && len(pkg.Errors) > 1 {
			continue // the type checker has said the same, with positions
		}
		lines = append(lines, problemLine(pkg, e, dir))
	}
	return lines
}

// compilerOutput reports whether e is the output of a compiler run, which
// package packages passes on as it is, headed by the package.
func compilerOutput(e packages.Error) bool {
	return e.Kind == packages.ListError && strings.HasPrefix(e.Msg, "# ")
}

func problemLine(pkg *packages.Package, e packages.Error, dir string) string {
	if compilerOutput(e) {
		_, rest, _ := strings.Cut(e.Msg, "\n")
		first, _, _ := strings.Cut(strings.TrimSpace(rest), "\n")
		return first
	}
	msg := strings.ReplaceAll(strings.TrimSpace(e.Msg), "\n\t", " ")
	msg = strings.ReplaceAll(msg, "\n", "; ")
	switch {
	case e.Pos != "" && e.Pos != "-":
		return fmt.Sprintf("%s: %s", relativePos(e.Pos, dir), msg)
	case strings.HasPrefix(msg, "no Go files in "):
		return msg + "; to include the packages below: ctxprop ./..."
	case isFile(filepath.Join(dir, filepath.FromSlash(pkg.PkgPath))):
		return pkg.PkgPath + " is a file and no package; name its folder, or all of them: ./..."
	case strings.Contains(msg, pkg.PkgPath):
		return msg
	}
	return fmt.Sprintf("%s: %s", pkg.PkgPath, msg)
}

// isFile reports whether there is such a file, and no folder.
func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// relativePos shortens the file of a "file:line:col" position.
func relativePos(pos, dir string) string {
	if !filepath.IsAbs(pos) {
		return pos
	}
	return relative(pos, dir)
}

// problemError puts a single problem on one line, and several below a heading.
func problemError(lines []string) error {
	if len(lines) == 1 {
		return fmt.Errorf("nothing analysed: %s", lines[0])
	}
	shown := lines[:min(len(lines), maxProblems)]
	text := "nothing analysed, because the packages do not build:\n\t" + strings.Join(shown, "\n\t")
	if more := len(lines) - len(shown); more > 0 {
		text += fmt.Sprintf("\n\tand %d more; go vet shows them", more)
	}
	return errors.New(text)
}

// listFailure returns why the go command lists no packages, or nil if there are
// none. Package packages takes some failures, such as a module cache that cannot
// be read, for an empty answer.
func listFailure(cfg *packages.Config, patterns []string, g *goEnv) error {
	cmd := exec.CommandContext(cfg.Context, "go", slices.Concat([]string{"list"}, cfg.BuildFlags, []string{"--"}, patterns)...)
	cmd.Dir, cmd.Env = cfg.Dir, cfg.Env
	if _, err := cmd.Output(); err != nil {
		return loadFailure(goCommandError(err), g)
	}
	return nil
}

func noPackages(o *options, g *goEnv) error {
	if !g.inModule() {
		return noModule(g)
	}
	return fmt.Errorf("no packages match %s", strings.Join(o.patterns, " "))
}

func noModule(g *goEnv) error {
	return fmt.Errorf("no go.mod in %s or above it; run ctxprop in a module, or name one with -C", g.dir)
}

// loadFailure explains an error of the loader itself.
func loadFailure(err error, g *goEnv) error {
	text := err.Error()
	if !g.inModule() && strings.Contains(text, "go.mod") {
		return noModule(g)
	}
	text = strings.TrimPrefix(text, "err: exit status 1: stderr: ")
	text = strings.TrimPrefix(strings.TrimSpace(text), "go: ")
	text = strings.ReplaceAll(text, ":\n", ": ") // a heading
	return fmt.Errorf("cannot load packages: %s", strings.ReplaceAll(text, "\n", "; "))
}
