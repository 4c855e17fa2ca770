package thread

import (
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"
)

// unseenFile is a Go file of the user's modules that is not among the analysed
// ones: build constraints leave it out, or no pattern matches its package.
type unseenFile struct {
	name    string
	text    []byte
	imports []string
	words   map[string]bool // identifiers, lazily
}

// addUnseen looks for such files below the roots of the packages' modules,
// nested modules included, as the go command does: vendor, testdata and names
// that begin with _ or . are left out.
func (p *Program) addUnseen(pkgs []*packages.Package) {
	var roots []string
	for _, pkg := range pkgs {
		if pkg.Module != nil && pkg.Module.Dir != "" && pkg.Module.Version == "" && !slices.Contains(roots, pkg.Module.Dir) {
			roots = append(roots, pkg.Module.Dir)
		}
	}
	seen := make(map[string]bool)
	for _, root := range roots {
		_ = filepath.WalkDir(root, func(name string, e fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return nil // what cannot be read cannot be built either
			case e.IsDir() && name != root && leftOut(e.Name()):
				return filepath.SkipDir
			case e.IsDir() || !strings.HasSuffix(name, ".go") || leftOut(e.Name()) || p.files[name] != nil || seen[name]:
				return nil
			}
			seen[name] = true
			if text, err := os.ReadFile(name); err == nil {
				p.unseen = append(p.unseen, &unseenFile{name: name, text: text})
			}
			return nil
		})
	}
}

func leftOut(name string) bool {
	return name == "vendor" || name == "testdata" || strings.HasPrefix(name, "_") || strings.HasPrefix(name, ".")
}

// mentionedUnseen names an unseen file that may use the function: one of its
// own directory or, if it is exported, one that imports its package, or for a
// method any of the analysed ones, that has its name.
func (p *Program) mentionedUnseen(fn *types.Func, src *source) string {
	dir, pkg := filepath.Dir(src.name), fn.Pkg().Path()
	for _, f := range p.unseen {
		if !f.mentions(fn.Name()) {
			continue
		}
		near := filepath.Dir(f.name) == dir
		far := fn.Exported() && slices.ContainsFunc(f.imported(), func(path string) bool {
			return path == pkg || fn.Signature().Recv() != nil && p.own[path]
		})
		if near || far {
			return p.relative(f.name)
		}
	}
	return ""
}

func (f *unseenFile) mentions(word string) bool {
	if f.words == nil {
		f.words = make(map[string]bool)
		fset := token.NewFileSet()
		var s scanner.Scanner
		s.Init(fset.AddFile(f.name, -1, len(f.text)), f.text, nil, 0)
		for {
			_, tok, lit := s.Scan()
			if tok == token.EOF {
				break
			}
			if tok == token.IDENT {
				f.words[lit] = true
			}
		}
	}
	return f.words[word]
}

func (f *unseenFile) imported() []string {
	if f.imports == nil {
		f.imports = []string{}
		file, err := parser.ParseFile(token.NewFileSet(), f.name, f.text, parser.ImportsOnly)
		if err != nil {
			return f.imports
		}
		for _, spec := range file.Imports {
			if path, err := strconv.Unquote(spec.Path.Value); err == nil {
				f.imports = append(f.imports, path)
			}
		}
	}
	return f.imports
}
