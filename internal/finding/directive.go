package finding

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"
	"sync"
)

// An Allow is one directive that suppresses a code:
//
//	//ctxprop:allow CTX101 the audit row must be written even if the caller is gone
//
// It covers the line it ends, the line below if it stands alone, and a whole
// function if it stands in the function's doc comment. The reason is mandatory.
type Allow struct {
	Code   Code
	Reason string
	Pos    token.Pos
	End    token.Pos

	file        string
	first, last int // lines covered
	used        bool
}

// A Declaration is a directive that is not a suppression: it declares what the
// function at whose declaration it stands does.
//
//	//ctxprop:block class=queue
type Declaration struct {
	Verb       string
	Attributes string
	Decl       *ast.Ident // the function's name, or nil if it stands elsewhere
	Pos, End   token.Pos
}

// Problem is a directive that cannot be obeyed.
type Problem struct {
	Pos, End token.Pos
	Message  string
}

// Directives are the //ctxprop: comments of one package. The analyzers of a
// package, which may run at the same time, share them.
type Directives struct {
	fset     *token.FileSet
	allows   []*Allow
	declared []Declaration
	problems []Problem
	mu       sync.Mutex // guards Allow.used
}

const prefix = "//ctxprop:"

// ParseDirectives reads the directives in files.
func ParseDirectives(fset *token.FileSet, files []*ast.File) *Directives {
	d := &Directives{fset: fset}
	for _, f := range files {
		docs, methods := funcDocs(f)
		code := codeLines(fset, f)
		for _, group := range f.Comments {
			for _, c := range group.List {
				if text, ok := strings.CutPrefix(c.Text, prefix); ok {
					d.add(c, group, text, docs[group], methods[group], code)
				}
			}
		}
	}
	return d
}

// funcDocs finds the declarations of functions, and of the methods of
// interfaces, by their doc comments. A method's comment may also end its line.
func funcDocs(f *ast.File) (funcs map[*ast.CommentGroup]*ast.FuncDecl, methods map[*ast.CommentGroup]*ast.Ident) {
	funcs, methods = map[*ast.CommentGroup]*ast.FuncDecl{}, map[*ast.CommentGroup]*ast.Ident{}
	if !hasDirective(f) {
		return funcs, methods
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Doc != nil {
				funcs[n.Doc] = n
			}
		case *ast.InterfaceType:
			for _, m := range n.Methods.List {
				for _, doc := range []*ast.CommentGroup{m.Doc, m.Comment} {
					if doc != nil && len(m.Names) == 1 {
						methods[doc] = m.Names[0]
					}
				}
			}
		}
		return true
	})
	return funcs, methods
}

func hasDirective(f *ast.File) bool {
	for _, g := range f.Comments {
		for _, c := range g.List {
			if strings.HasPrefix(c.Text, prefix) {
				return true
			}
		}
	}
	return false
}

// codeLines holds the lines on which some node of the file's code begins or
// ends, which tells a trailing comment from one that stands alone.
func codeLines(fset *token.FileSet, f *ast.File) map[int]bool {
	if !hasDirective(f) {
		return nil
	}
	lines := map[int]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n.(type) {
		case nil:
			return false
		case *ast.Comment, *ast.CommentGroup:
			return false
		}
		lines[fset.Position(n.Pos()).Line] = true
		lines[fset.Position(n.End()).Line] = true
		return true
	})
	return lines
}

func (d *Directives) add(c *ast.Comment, group *ast.CommentGroup, text string, decl *ast.FuncDecl, method *ast.Ident, code map[int]bool) {
	verb, rest, _ := strings.Cut(text, " ")
	if verb != "allow" {
		if decl != nil {
			method = decl.Name
		}
		attributes, _, _ := strings.Cut(" "+rest, " //")
		d.declared = append(d.declared, Declaration{verb, strings.TrimSpace(attributes), method, c.Pos(), c.End()})
		return
	}
	name, reason, _ := strings.Cut(strings.TrimSpace(rest), " ")
	if _, ok := Rule(Code(name)); !ok {
		d.problem(c, fmt.Sprintf("//ctxprop:allow names no known code but %q: write //ctxprop:allow CODE reason, such as CTX101", name))
		return
	}
	if strings.TrimSpace(reason) == "" {
		d.problem(c, fmt.Sprintf("//ctxprop:allow %s gives no reason: say after the code why the finding is right as it is", name))
		return
	}
	pos := d.fset.Position(c.Pos())
	a := &Allow{Code: Code(name), Reason: strings.TrimSpace(reason), Pos: c.Pos(), End: c.End(), file: pos.Filename, first: pos.Line, last: pos.Line}
	switch {
	case decl != nil:
		a.first, a.last = d.fset.Position(decl.Pos()).Line, d.fset.Position(decl.End()).Line
	case !code[pos.Line]:
		a.last = d.fset.Position(group.End()).Line + 1
	}
	d.allows = append(d.allows, a)
}

func (d *Directives) problem(c *ast.Comment, msg string) {
	d.problems = append(d.problems, Problem{c.Pos(), c.End(), msg})
}

// Declarations lists the directives that declare something, in source order.
func (d *Directives) Declarations() []Declaration { return d.declared }

// Refuse reports a declaration that cannot be obeyed.
func (d *Directives) Refuse(decl Declaration, msg string) {
	d.problems = append(d.problems, Problem{decl.Pos, decl.End, msg})
}

// Allowed reports whether a directive suppresses any of the codes at pos, and
// marks it as used.
func (d *Directives) Allowed(pos token.Pos, codes ...Code) bool {
	if len(d.allows) == 0 || !pos.IsValid() {
		return false
	}
	p := d.fset.Position(pos)
	d.mu.Lock()
	defer d.mu.Unlock()
	found := false
	for _, a := range d.allows {
		if a.file != p.Filename || p.Line < a.first || p.Line > a.last {
			continue
		}
		for _, c := range codes {
			if a.Code == c {
				a.used, found = true, true
			}
		}
	}
	return found
}

// Problems lists the directives that are malformed, and those for the codes
// of the named analyzer that suppressed nothing. Only a view of the whole
// program can tell that of a severed callee, for its callers may be behind an
// interface.
func (d *Directives) Problems(analyzer string, program bool) []Problem {
	var out []Problem
	if info, _ := Rule(BadDirective); info.Analyzer == analyzer {
		out = append(out, d.problems...)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, a := range d.allows {
		if a.used || a.Code == SeveredCallee && !program {
			continue
		}
		if info, _ := Rule(a.Code); info.Analyzer == analyzer {
			out = append(out, Problem{a.Pos, a.End, fmt.Sprintf("//ctxprop:allow %s suppresses nothing here: remove it", a.Code)})
		}
	}
	return out
}

// BadDirectives reports, for one analyzer, the directives of a package that
// are malformed or that, once all its findings are known, have suppressed
// nothing. program says that the findings of the whole program are known.
func BadDirectives(fset *token.FileSet, pkgPath string, d *Directives, analyzer string, program bool) []*Finding {
	if d == nil {
		return nil
	}
	var fs []*Finding
	for _, p := range d.Problems(analyzer, program) {
		fs = append(fs, &Finding{
			ID:       Identity{Code: BadDirective, Home: pkgPath, Sink: p.Message},
			Grade:    GradeRequest,
			Severity: SeverityAt(BadDirective, GradeRequest),
			Pos:      p.Pos, End: p.End,
			Position: fset.Position(p.Pos), EndPosition: fset.Position(p.End),
			Message: fmt.Sprintf("%s (%s)", p.Message, BadDirective),
		})
	}
	return fs
}
