package catalog

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// A Catalog is a set of lines, ready for lookup. It is immutable and may be
// used by any number of goroutines.
type Catalog struct {
	packages  map[string]*packageLines
	trees     map[string]*packageLines // by the path before /...
	marks     map[mark]*Entry
	shapes    []Root          // func roots, the flag's before the built-in
	methods   []Root          // method roots, likewise
	callbacks map[Symbol]Root // roots by what they are given to
	services  []Service
	providers map[TypeName]Provider
	// builtin holds the packages, and with a "/..." at the end the trees, that
	// the embedded tables name.
	builtin map[string]bool
}

// packageLines holds the lines about the functions of one package, or of a tree.
type packageLines struct {
	byName map[memberName]*Entry
	// patterns are the lines whose name has a * in it, the longest first.
	patterns []*Entry
	whole    *Entry
	twins    *Entry // like whole, of those functions that have a sibling
}

// memberName is a function's name within its package. Name is "*" for a line
// about a whole type.
type memberName struct {
	recv, name string
}

// mark is what a line of such a kind says, and of which function.
type mark struct {
	kind   Kind
	symbol Symbol // its identity
}

//go:embed *.cat
var tables embed.FS

// Default returns the catalog of the embedded tables.
func Default() *Catalog { return defaultCatalog() }

var defaultCatalog = sync.OnceValue(func() *Catalog {
	c, err := load()
	if err != nil {
		// Only a build from broken tables comes here, and the tests of this
		// package refuse one.
		panic(err)
	}
	return c
})

// load parses the embedded tables into one catalog.
func load() (*Catalog, error) {
	files, err := tables.ReadDir(".")
	if err != nil {
		return nil, err
	}
	var (
		all  table
		errs []error
	)
	for _, file := range files {
		text, err := tables.ReadFile(file.Name())
		if err != nil {
			return nil, err
		}
		t, err := parse(file.Name(), string(text))
		errs = append(errs, err)
		all.entries = append(all.entries, t.entries...)
		all.roots = append(all.roots, t.roots...)
		all.services = append(all.services, t.services...)
		all.providers = append(all.providers, t.providers...)
	}
	errs = append(errs, all.checkDuplicates())
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	c := new(Catalog).with(all)
	c.builtin = all.packages()
	return c, nil
}

// Extend returns a catalog that knows the lines of text as well. They override
// lines of c about the same symbol, and where a LineDirective names another
// origin, lines from there override those before. Errors name origin and line,
// one error per bad line.
func (c *Catalog) Extend(origin, text string) (*Catalog, error) {
	t, err := parse(origin, text)
	if err != nil {
		return nil, err
	}
	for _, part := range t.byOrigin() {
		if err := part.checkDuplicates(); err != nil {
			return nil, err
		}
		c = c.with(part)
	}
	return c, nil
}

// byOrigin splits a table by where its lines come from, in the order in which
// the origins come first.
func (t *table) byOrigin() []table {
	var parts []table
	index := map[string]int{}
	part := func(p Pos) *table {
		i, ok := index[p.Origin]
		if !ok {
			i = len(parts)
			index[p.Origin] = i
			parts = append(parts, table{})
		}
		return &parts[i]
	}
	for _, e := range t.entries {
		p := part(e.Pos)
		p.entries = append(p.entries, e)
	}
	for _, r := range t.roots {
		p := part(r.Pos)
		p.roots = append(p.roots, r)
	}
	for _, s := range t.services {
		p := part(s.Pos)
		p.services = append(p.services, s)
	}
	for _, v := range t.providers {
		p := part(v.Pos)
		p.providers = append(p.providers, v)
	}
	return parts
}

// with returns a copy of c in which t overrides what it also describes.
func (c *Catalog) with(t table) *Catalog {
	n := &Catalog{
		packages:  maps.Clone(c.packages),
		trees:     maps.Clone(c.trees),
		marks:     maps.Clone(c.marks),
		builtin:   c.builtin,
		callbacks: maps.Clone(c.callbacks),
		services:  slices.Concat(t.services, c.services),
		providers: maps.Clone(c.providers),
	}
	if n.packages == nil {
		n.packages, n.trees, n.marks = map[string]*packageLines{}, map[string]*packageLines{}, map[mark]*Entry{}
		n.callbacks, n.providers = map[Symbol]Root{}, map[TypeName]Provider{}
	}
	for _, p := range t.providers {
		n.providers[p.TypeName] = p
	}
	for _, r := range t.roots {
		if r.Fn != Deduced {
			n.callbacks[r.method.identity()] = r
		}
	}
	fresh := map[string]bool{} // packages whose lines are n's own already
	for i := range t.entries {
		n.add(&t.entries[i], fresh)
	}
	n.shapes, n.methods = splitRoots(t.roots)
	n.shapes = appendOthers(n.shapes, c.shapes)
	n.methods = appendOthers(n.methods, c.methods)
	return n
}

// add enters a line. Lines of a package shared with another catalog are copied
// first; fresh says which are not.
func (c *Catalog) add(e *Entry, fresh map[string]bool) {
	s := e.Symbol
	if e.Kind.mark() {
		c.marks[mark{e.Kind, s.identity()}] = e
		return
	}
	in, key := c.packages, s.Pkg
	if s.Tree {
		in, key = c.trees, s.Pkg+"/..."
	}
	lines := in[s.Pkg]
	if !fresh[key] {
		lines = lines.clone()
		in[s.Pkg], fresh[key] = lines, true
	}
	switch {
	case s.Recv == "" && s.Name == wildcard && e.Kind == Twin:
		lines.twins = e
	case s.Recv == "" && s.Name == wildcard:
		lines.whole = e
	case strings.Contains(s.Name, wildcard) && (s.Name != wildcard || e.Kind == Twin):
		lines.addPattern(e)
	default:
		lines.byName[memberName{s.Recv, s.Name}] = e
	}
}

// identity tells apart what may be said of one symbol at the same time: what a
// function is, what it does, and of many functions which have twins.
func (e *Entry) identity() mark {
	id := mark{symbol: e.Symbol.identity()}
	if e.Kind.mark() || e.Kind == Twin && e.Symbol.Wide() {
		id.kind = e.Kind
	}
	return id
}

// addPattern keeps the patterns sorted, so that the first match is the most
// precise.
func (l *packageLines) addPattern(e *Entry) {
	l.patterns = slices.DeleteFunc(l.patterns, func(o *Entry) bool { return o.identity() == e.identity() })
	l.patterns = append(l.patterns, e)
	slices.SortStableFunc(l.patterns, func(a, b *Entry) int { return len(b.Symbol.Name) - len(a.Symbol.Name) })
}

func (l *packageLines) clone() *packageLines {
	n := &packageLines{byName: map[memberName]*Entry{}}
	if l != nil {
		n.whole, n.twins = l.whole, l.twins
		n.patterns = slices.Clone(l.patterns)
		maps.Copy(n.byName, l.byName)
	}
	return n
}

// entries calls yield for every line.
func (l *packageLines) entries(yield func(*Entry)) {
	for _, e := range []*Entry{l.whole, l.twins} {
		if e != nil {
			yield(e)
		}
	}
	for _, e := range l.patterns {
		yield(e)
	}
	for _, e := range l.byName {
		yield(e)
	}
}

func splitRoots(roots []Root) (shapes, methods []Root) {
	for _, r := range roots {
		switch {
		case r.Fn != Deduced: // in a map of their own
		case r.method == (Symbol{}):
			shapes = append(shapes, r)
		default:
			methods = append(methods, r)
		}
	}
	return shapes, methods
}

// appendOthers appends those of more that no root of roots overrides.
func appendOthers(roots, more []Root) []Root {
	for _, r := range more {
		if !slices.ContainsFunc(roots, func(o Root) bool { return o.String() == r.String() }) {
			roots = append(roots, r)
		}
	}
	return roots
}

// checkDuplicates refuses two lines about the same thing, which could only
// repeat or contradict each other.
func (t *table) checkDuplicates() error {
	var errs []error
	first := map[any]Pos{}
	check := func(key any, what fmt.Stringer, pos Pos) {
		if before, ok := first[key]; ok {
			errs = append(errs, fmt.Errorf("%v: %v is already described at %v: remove one of the lines", pos, what, before))
			return
		}
		first[key] = pos
	}
	for i := range t.entries {
		e := &t.entries[i]
		check(e.identity(), e.Symbol, e.Pos)
	}
	for _, r := range t.roots {
		check(r.String(), r, r.Pos)
	}
	for _, s := range t.services {
		check("service "+s.String(), s, s.Pos)
	}
	for _, p := range t.providers {
		check(p.TypeName, p.TypeName, p.Pos)
	}
	return errors.Join(errs...)
}

// packages lists what the table names: import paths, and for trees the path
// with a "/..." at the end.
func (t *table) packages() map[string]bool {
	named := map[string]bool{}
	for _, e := range t.entries {
		path := e.Symbol.Pkg
		if e.Symbol.Tree {
			path += "/..."
		}
		named[path] = true
	}
	return named
}

// Entries returns all lines about functions, ordered by symbol.
func (c *Catalog) Entries() []Entry {
	var all []Entry
	add := func(e *Entry) { all = append(all, *e) }
	for _, e := range c.marks {
		add(e)
	}
	for _, lines := range c.trees {
		lines.entries(add)
	}
	for _, lines := range c.packages {
		lines.entries(add)
	}
	slices.SortFunc(all, func(a, b Entry) int { return cmp.Or(a.Symbol.compare(b.Symbol), cmp.Compare(a.Kind, b.Kind)) })
	return all
}

// Roots returns all lines about roots, in the order in which they are tried.
func (c *Catalog) Roots() []Root {
	callbacks := slices.SortedFunc(maps.Values(c.callbacks), func(a, b Root) int { return a.method.compare(b.method) })
	return slices.Concat(c.shapes, c.methods, callbacks)
}

// Services returns the types of servers that generated code registers with.
func (c *Catalog) Services() []Service { return slices.Clone(c.services) }

func (s Symbol) compare(o Symbol) int {
	return cmp.Or(
		cmp.Compare(s.Pkg, o.Pkg),
		cmp.Compare(s.Recv, o.Recv),
		cmp.Compare(s.Name, o.Name),
	)
}
