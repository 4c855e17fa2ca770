package ctxflow

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"github.com/ctxprop/ctxprop/internal/catalog"
	"github.com/ctxprop/ctxprop/internal/finding"
)

// This file joins what users declare, by directives at declarations and by
// lines of the flag, to what the tables say.

// declare makes catalog lines of the package's directives, leaves each to the
// importing packages with the fact of its function, and reads those of the
// packages below. The flag's lines come last: they override.
func (e *engine) declare() error {
	lines := e.declaredBelow()
	for _, d := range e.allows.Declarations() {
		fn, line, err := e.declaration(d)
		if err == nil {
			_, err = catalog.Default().Extend("directive", strings.Join(append(e.declared[fn], line), "\n"))
		}
		if err != nil {
			e.allows.Refuse(d, err.Error())
			continue
		}
		e.declared[fn] = append(e.declared[fn], line)
		lines = append(lines, line)
	}
	if len(lines) > 0 {
		c, err := catalog.Default().Extend("directive", strings.Join(lines, "\n"))
		if err != nil {
			return err
		}
		if e.catalog, err = c.Extend("-ctxflow.catalog", e.cfg.Catalog); err != nil {
			return err
		}
	}
	if e.cfg.Lenient {
		return nil
	}
	return e.catalog.CheckImports(e.pass.Pkg)
}

// declaredBelow lists what the packages below have declared.
func (e *engine) declaredBelow() []string {
	var lines []string
	for _, of := range e.pass.AllObjectFacts() {
		if fact, ok := of.Fact.(*Fact); ok && of.Object.Pkg() != e.pass.Pkg {
			lines = append(lines, fact.Declared...)
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

// declaration makes the line of one directive.
func (e *engine) declaration(d finding.Declaration) (*types.Func, string, error) {
	if !catalog.IsVerb(d.Verb) {
		return nil, "", fmt.Errorf("unknown directive //ctxprop:%s: write //ctxprop:allow CODE reason, or at a declaration one of %s", d.Verb, catalog.Verbs())
	}
	var fn *types.Func
	if d.Decl != nil {
		fn, _ = e.pass.TypesInfo.Defs[d.Decl].(*types.Func)
	}
	if fn == nil {
		return nil, "", fmt.Errorf("//ctxprop:%s declares nothing here: put it into the doc comment of a function, a method or an interface's method", d.Verb)
	}
	line, err := catalog.Declare(fn, d.Verb, d.Attributes)
	if err != nil {
		return nil, "", fmt.Errorf("//ctxprop:%s: %w", d.Verb, err)
	}
	return fn, line, nil
}

// exportDeclared leaves declarations to importing packages where no summary
// does it: at interfaces' methods, and in packages that have none.
func (e *engine) exportDeclared() {
	for fn, lines := range e.declared {
		if e.inTest(fn.Pos()) {
			continue
		}
		fact := new(Fact)
		if !e.pass.ImportObjectFact(fn, fact) {
			fact = &Fact{}
		}
		fact.Declared = lines
		e.pass.ExportObjectFact(fn, fact)
	}
}

// declaresResult reports whether a directive or a line says which context f
// returns.
func (e *engine) declaresResult(f *function) bool {
	if f.obj == nil {
		return false
	}
	entry, _ := e.catalog.Func(f.obj)
	switch entry.Kind {
	case catalog.Fresh, catalog.Derive, catalog.Detach, catalog.Carry, catalog.Bare:
		return true
	}
	return false
}

// keepsToItself reports whether f, or a function around it, is declared quiet:
// whatever it waits for is nobody's wait.
func (e *engine) keepsToItself(f *function) bool {
	if f.named.obj == nil {
		return false
	}
	entry, ok := e.catalog.Func(f.named.obj)
	return ok && entry.Kind == catalog.Quiet
}
