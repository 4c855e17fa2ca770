// Package thread gives functions a context parameter, across packages: from the
// function that makes a context of its own, whose callers cannot end its work,
// up to the first functions that have a context to pass.
//
// A function's type is what others rely on, often in ways that no call shows.
// So the package changes one only if it can account for all that uses it, and
// returns the first thing that it cannot account for as the reason of a
// refusal. What it changes it does not type-check; the result has to be
// analysed again before anything is written.
//
// Each call of a changed function gets one of four arguments:
//
//   - the context at hand, where the call works on behalf of who gave it;
//   - the new parameter, where the caller has no context and some caller of
//     that one has;
//   - context.WithoutCancel of the context at hand, where the work must not end
//     with it: release and cleanup;
//   - context.Background(), where no context of the program leads: below main
//     and in init, in work of the process that nobody waits for. In a test it
//     is t.Context(), if the language has it.
//
// The last two leave the work as it was: it was done on a root context before.
package thread

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/ctxprop/ctxprop/internal/callee"
	"github.com/ctxprop/ctxprop/internal/ctxflow"
	"github.com/ctxprop/ctxprop/internal/finding"
	"github.com/ctxprop/ctxprop/internal/fix"
	"github.com/ctxprop/ctxprop/internal/link"
)

// Program is what there is to change.
type Program struct {
	fset    *token.FileSet
	dir     string // names in reasons are relative to it
	callers *link.Callers
	// exported: functions that other modules may call are changed too.
	exported bool

	own     map[string]bool // paths of the packages
	files   map[string]*source
	decls   map[string]*decl
	refs    map[string][]*ref
	ifaces  map[string][]namedInterface   // by the names of their methods
	methods map[string]*method            // that declared interfaces ask for
	foreign map[string][]*types.Named     // types of others, by the names of their methods
	named   []*types.Named                // own types that are no interfaces
	homes   map[string][]*ctxflow.Verdict // of severed callees, by their keys
	linked  map[string]token.Pos          // names that go:linkname lines and MethodByName mention
	unseen  []*unseenFile
	done    map[string]*change
}

// Chain is what one finding needs changed.
type Chain struct {
	Edits []fix.Edit
	// Homes are the functions that get a parameter, the finding's home first.
	Homes []string
	// Names are theirs, for messages.
	Names []string
	// Keeps are ranges that the edits need to be there, by file: an import.
	Keeps []fix.Edit
}

// change is what happens to one function and its calls.
type change struct {
	err   error
	edits []fix.Edit
	keeps []fix.Edit
	above []string // the callers that need a parameter too
	// together are the methods, of interfaces and of types, that change with it.
	together []string
}

// Thread returns what a finding of a severed callee needs changed, or why that
// is not safe.
func (p *Program) Thread(v *ctxflow.Verdict) (*Chain, error) {
	if _, err := p.roots(v); err != nil {
		return nil, err
	}
	chain := &Chain{}
	queue, seen := []string{v.Home}, map[string]bool{v.Home: true}
	add := func(keys ...string) {
		for _, key := range keys {
			if !seen[key] {
				seen[key] = true
				queue = append(queue, key)
			}
		}
	}
	for len(queue) > 0 {
		key := queue[0]
		queue = queue[1:]
		if p.methods[key] != nil {
			if v.Sink.Write {
				return nil, errWriteBehind
			}
			c := p.changeMethod(key)
			if c.err != nil {
				return nil, c.err
			}
			chain.take(c)
			add(c.above...)
			continue
		}
		c, err := p.function(chain, key)
		if err != nil {
			return nil, err
		}
		add(c.above...)
		add(c.together...)
	}
	return chain, nil
}

// take adds a change to the chain.
func (c *Chain) take(of *change) {
	c.Edits, c.Keeps = append(c.Edits, of.edits...), append(c.Keeps, of.keeps...)
}

// function adds to the chain that a function takes a context. If it is a home
// of its own, that takes the place of the roots that it makes.
func (p *Program) function(chain *Chain, key string) (*change, error) {
	c := p.change(key)
	if c.err != nil {
		return nil, c.err
	}
	var roots []*ast.CallExpr
	for _, v := range p.homes[key] {
		more, err := p.roots(v)
		if err != nil {
			return nil, err
		}
		roots = append(roots, more...)
	}
	d := p.decls[key]
	edits, err := d.src.builder.AddParameter(d.node, roots)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.name(), err)
	}
	chain.Homes, chain.Names = append(chain.Homes, key), append(chain.Names, d.name())
	chain.Edits = append(chain.Edits, fix.Edits(p.fset, edits...)...)
	chain.Keeps = append(chain.Keeps, p.keep(d.src, d.node.Pos())...)
	chain.take(c)
	return c, nil
}

// roots are the calls that make contexts in the home, if they may go.
func (p *Program) roots(v *ctxflow.Verdict) ([]*ast.CallExpr, error) {
	switch {
	case v.Returned:
		return nil, fmt.Errorf("%s takes a context already, and returns another", v.HomeName)
	case v.Held != "":
		return nil, fmt.Errorf("%s must keep a context of its own: %s", v.HomeName, v.Held)
	case v.Grade != finding.GradeRequest && !v.Sink.Known:
		return nil, fmt.Errorf("no request is known to reach it, and of %s only the shape is known", v.Sink.Name)
	}
	if n := p.callers.Node(v.Node); n != nil && n.Apart {
		return nil, fmt.Errorf("the context is made in a function literal that %s does not run itself", v.HomeName)
	}
	d := p.decls[v.Home]
	if d == nil {
		return nil, fmt.Errorf("%s is no declared function", v.HomeName)
	}
	var roots []*ast.CallExpr
	for _, pos := range append([]token.Pos{v.RootCall}, v.More...) {
		call := d.src.builder.CallAt(pos)
		if call == nil || call.Pos() < d.node.Pos() || d.node.End() < call.End() {
			return nil, fmt.Errorf("%s comes from outside of %s", v.Root, v.HomeName)
		}
		if fn := d.src.callee(call); fn == nil || len(call.Args) > 0 || fn.FullName() != "context.Background" && fn.FullName() != "context.TODO" {
			return nil, fmt.Errorf("the context is not made by context.Background or context.TODO itself")
		}
		roots = append(roots, call)
	}
	return roots, nil
}

// change is what giving the function a parameter does to its calls. It does not
// depend on the finding.
func (p *Program) change(key string) *change {
	if c, ok := p.done[key]; ok {
		return c
	}
	c := &change{}
	p.done[key] = c
	d := p.decls[key]
	if d == nil {
		c.err = fmt.Errorf("%s is not declared in the analysed packages", key)
		return c
	}
	if err := p.mayChange(d); err != nil {
		c.err = fmt.Errorf("%s %w", d.name(), err)
		return c
	}
	funcs, methods, err := p.group(key)
	if err != nil {
		c.err = fmt.Errorf("%s %w", d.name(), err)
		return c
	}
	c.together = append(funcs, methods...)
	for _, r := range p.refs[key] {
		if err := p.pass(c, r); err != nil {
			c.err = fmt.Errorf("%s %w", d.name(), err)
			return c
		}
	}
	return c
}

// pass edits one use of a function, which must be a call.
func (p *Program) pass(c *change, r *ref) error {
	site, ok := p.siteOf(r)
	if !ok {
		return fmt.Errorf("is used as a value at %s", p.place(r.id.Pos()))
	}
	text, above, edits, err := p.argument(site)
	if err == nil {
		var more []analysis.TextEdit
		more, err = r.src.builder.PassContext(site.call, text)
		edits = append(edits, more...)
	}
	if err != nil {
		return fmt.Errorf("is called at %s, where %w", p.place(r.id.Pos()), err)
	}
	if above != "" {
		c.above = append(c.above, above)
	}
	c.edits = append(c.edits, fix.Edits(p.fset, edits...)...)
	if strings.HasSuffix(text, ")") {
		c.keeps = append(c.keeps, p.keep(r.src, r.id.Pos())...)
	}
	return nil
}

// argument is the context for a call, the function that needs a parameter for
// it, if any, and further edits.
func (p *Program) argument(s *site) (text, above string, edits []analysis.TextEdit, err error) {
	b := s.src.builder
	root := func() (string, string, []analysis.TextEdit, error) {
		text, edits, err := b.FromContext(s.call.Pos(), "Background()")
		return text, "", edits, err
	}
	if s.inTest() {
		if text := s.testContext(); text != "" {
			return text, "", nil, nil
		}
		return root()
	}
	from, call, ok := p.callers.At(s.pos)
	switch {
	case s.decl == nil || !ok:
		return root() // an initializer, or work that nobody waits for
	case from.Hand && from.HandVar == nil:
		return "", "", nil, errors.New("the context at hand has no name")
	case from.Hand:
		use := fix.Expr{Var: from.HandVar, Method: from.Asks}
		err := b.Usable(s.call, use)
		switch {
		case call.Silent && (err != nil || !s.since(1, 21)):
			return root()
		case call.Silent:
			text, edits, err := b.FromContext(s.call.Pos(), "WithoutCancel("+use.String()+")")
			return text, "", edits, err
		case err != nil:
			return "", "", nil, fmt.Errorf("%s cannot be passed: %w", use, err)
		case call.AfterWrite:
			return "", "", nil, errAfterWrite
		}
		return use.String(), "", nil, nil
	case call.Silent || !p.callers.ContextAbove(from.Key):
		return root()
	case from.Apart:
		return "", "", nil, errors.New("a function literal that may run later works on behalf of a caller")
	case call.AfterWrite:
		return "", "", nil, errAfterWrite
	}
	if err := b.NameAt(s.call.Pos()); err != nil {
		return "", "", nil, err
	}
	return fix.CtxName, s.key(), nil, nil
}

var errAfterWrite = errors.New("state has been changed before, and a cancellation in between would leave half of both changes")

func (p *Program) keep(src *source, pos token.Pos) []fix.Edit {
	from, to := src.builder.KeepImport(pos)
	if !from.IsValid() {
		return nil
	}
	return fix.Edits(p.fset, analysis.TextEdit{Pos: from, End: to})
}

// decl is a function's declaration.
type decl struct {
	fn   *types.Func
	node *ast.FuncDecl
	src  *source
}

func (d *decl) name() string { return callee.ShortName(d.fn) }
