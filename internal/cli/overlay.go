package cli

import (
	"go/ast"
	"go/parser"
	"go/token"

	"golang.org/x/tools/go/packages"

	"github.com/ctxprop/ctxprop/internal/prove"
)

// overlay lets a load see other contents of some files.
type overlay struct{ *prove.Overlay }

// configure makes the go command and the parser read the overlay. The Overlay
// of packages.Config would do as well, but with it the loader asks for no export
// data and type-checks every dependency from source.
func (o *overlay) configure(cfg *packages.Config) {
	cfg.BuildFlags = append(cfg.BuildFlags, o.Flag())
	cfg.ParseFile = func(fset *token.FileSet, name string, src []byte) (*ast.File, error) {
		if text, ok := o.Content(name); ok {
			src = []byte(text)
		}
		return parser.ParseFile(fset, name, src, parser.AllErrors|parser.ParseComments|parser.SkipObjectResolution)
	}
}
