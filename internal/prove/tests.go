package prove

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// RuntimeModule is the module with the harness.
const RuntimeModule = "github.com/ctxprop/ctxprop/runtime"

const saturatePath = RuntimeModule + "/saturate"

// BuildTag is set in every run, so that saturation tests can be left out of an
// ordinary one.
const BuildTag = "ctxprop"

// Go runs the go command.
type Go struct {
	Env  []string
	Dir  string   // absolute
	Tags []string // besides BuildTag
	Temp string   // an existing directory for its temporary files
}

// TestPackage is a package with saturation tests.
type TestPackage struct {
	Path  string
	Tests []string        // names of the functions
	dirs  map[string]bool // of the packages that the test is linked from
}

// Packages finds the saturation tests in the packages that match the patterns:
// those that, as far as their package shows, come to saturate's Test. Tests that
// only measure, with its Run or Compare, judge for themselves.
func (g *Go) Packages(ctx context.Context, patterns []string) ([]*TestPackage, error) {
	args := append([]string{"list", "-test", "-deps", "-json=ImportPath,Dir,DepOnly,ForTest,TestGoFiles,XTestGoFiles,Deps", g.tagFlag()}, patterns...)
	out, err := g.command(ctx, args...).Output()
	if err != nil {
		return nil, commandError("go list", err)
	}
	type listed struct {
		ImportPath, Dir, ForTest  string
		DepOnly                   bool
		TestGoFiles, XTestGoFiles []string
		Deps                      []string
	}
	dirs := make(map[string]string)
	var matched, mains []listed
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := dec.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			return nil, fmt.Errorf("cannot read the output of go list: %v", err)
		}
		dirs[p.ImportPath] = p.Dir
		switch {
		case p.DepOnly || p.ForTest != "":
		case strings.HasSuffix(p.ImportPath, ".test"):
			mains = append(mains, p)
		default:
			matched = append(matched, p)
		}
	}
	var pkgs []*TestPackage
	for _, p := range matched {
		var files []string
		for _, name := range slices.Concat(p.TestGoFiles, p.XTestGoFiles) {
			files = append(files, filepath.Join(p.Dir, name))
		}
		tests, err := saturationTests(files)
		if err != nil {
			return nil, err
		}
		if len(tests) == 0 {
			continue
		}
		t := &TestPackage{Path: p.ImportPath, Tests: tests, dirs: make(map[string]bool)}
		for _, main := range mains {
			if main.ImportPath == p.ImportPath+".test" {
				for _, dep := range main.Deps {
					t.dirs[dirs[dep]] = true
				}
			}
		}
		pkgs = append(pkgs, t)
	}
	return pkgs, nil
}

// saturationTests returns the names of the test functions in files that call
// saturate's Test, by way of other functions in the files too.
func saturationTests(files []string) ([]string, error) {
	mentions := make(map[string][]string) // by function: what its body names
	uses := make(map[string]bool)         // functions that come to saturate's Test
	var order []string
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		pkg := nameOfImport(f, saturatePath)
		for _, decl := range f.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			order = append(order, fn.Name.Name)
			ast.Inspect(fn.Body, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.SelectorExpr:
					if id, ok := n.X.(*ast.Ident); ok && pkg != "" && id.Name == pkg && n.Sel.Name == "Test" {
						uses[fn.Name.Name] = true
					}
				case *ast.Ident:
					mentions[fn.Name.Name] = append(mentions[fn.Name.Name], n.Name)
				}
				return true
			})
		}
	}
	for changed := true; changed; {
		changed = false
		for _, name := range order {
			if !uses[name] && slices.ContainsFunc(mentions[name], func(m string) bool { return uses[m] }) {
				uses[name], changed = true, true
			}
		}
	}
	tests := slices.DeleteFunc(order, func(name string) bool { return !isTest(name) || !uses[name] })
	slices.Sort(tests)
	return slices.Compact(tests), nil
}

// nameOfImport is the name under which a file knows a package, or "".
func nameOfImport(f *ast.File, path string) string {
	for _, spec := range f.Imports {
		if spec.Path.Value == `"`+path+`"` {
			if spec.Name != nil {
				return spec.Name.Name
			}
			return path[strings.LastIndexByte(path, '/')+1:]
		}
	}
	return ""
}

// isTest reports whether the go command takes a function of this name for a
// test.
func isTest(name string) bool {
	rest, ok := strings.CutPrefix(name, "Test")
	return ok && name != "TestMain" && (rest == "" || strings.ToLower(rest[:1]) != rest[:1] || rest[0] == '_' || rest[0] >= '0' && rest[0] <= '9')
}

// Needs returns the command that brings package saturate into the build, or ""
// if it is there. The user runs it: go.mod is theirs.
func (g *Go) Needs(ctx context.Context) string {
	if g.command(ctx, "list", "-find", g.tagFlag(), saturatePath).Run() == nil {
		return ""
	}
	get := "go get " + RuntimeModule + "@latest"
	if out, err := g.command(ctx, "list", "-m", "-f", "{{.Dir}}").Output(); err == nil {
		if _, err := os.Stat(filepath.Join(strings.TrimSpace(string(out)), "vendor")); err == nil {
			get += " && go mod vendor"
		}
	}
	return get
}

func (g *Go) tagFlag() string {
	return "-tags=" + strings.Join(append([]string{BuildTag}, g.Tags...), ",")
}

func (g *Go) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = g.Dir
	cmd.Env = append(slices.Clip(g.Env), "PWD="+g.Dir, "GOTMPDIR="+g.Temp)
	endWithGroup(cmd)
	return cmd
}

// commandError is what the go command said of its failure.
func commandError(what string, err error) error {
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && len(exit.Stderr) > 0 {
		text := strings.TrimPrefix(strings.TrimSpace(string(exit.Stderr)), "go: ")
		return fmt.Errorf("%s: %s", what, strings.ReplaceAll(text, "\n", "; "))
	}
	return fmt.Errorf("%s: %v", what, err)
}
