package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/ctxprop/ctxprop/internal/git"
)

// baseTree is the working tree as it was at another revision. Usually nothing
// is checked out: the go command reads the changed files from elsewhere, so
// that what git ignores, the modules beside the repository and the build cache
// serve both revisions.
type baseTree struct {
	base    *git.Base
	changes *git.Changes
	temp    string
	// checkout is where the revision lies as a whole, if it has to, or "".
	checkout string
	top      string
}

// newBaseTree reads the revision into temp, which the caller removes.
func newBaseTree(ctx context.Context, r *git.Repository, base *git.Base, temp string) (*baseTree, error) {
	t := &baseTree{base: base, temp: temp, top: r.Top}
	var err error
	if t.changes, err = r.Changes(ctx, base.Commit, filepath.Join(temp, "before")); err != nil {
		return nil, err
	}
	if t.vendorChanged() {
		t.checkout = filepath.Join(temp, "base")
		return t, r.Checkout(ctx, base.Commit, t.checkout)
	}
	replace := map[string]string{}
	for name, content := range t.changes.Before {
		replace[name] = content
	}
	for name := range t.changes.Added {
		replace[name] = ""
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return nil, err
	}
	return t, os.WriteFile(t.overlay(), text, 0o666)
}

// vendorChanged reports whether the list of vendored modules differs, which the
// go command reads from the disk, whatever an overlay says.
func (t *baseTree) vendorChanged() bool {
	is := func(name string) bool { return strings.HasSuffix(filepath.ToSlash(name), "/vendor/modules.txt") }
	for name := range t.changes.Before {
		if is(name) {
			return true
		}
	}
	for name := range t.changes.Added {
		if is(name) {
			return true
		}
	}
	return false
}

func (t *baseTree) overlay() string { return filepath.Join(t.temp, "overlay.json") }

// same reports whether the revision has the file as the working tree has it.
func (t *baseTree) same(name string) bool {
	_, changed := t.changes.Before[name]
	return !changed && !t.changes.Added[name]
}

// read returns what the file with the name held at the revision.
func (t *baseTree) read(name string) ([]byte, error) {
	if content, ok := t.changes.Before[name]; ok && t.checkout == "" {
		name = content
	}
	return os.ReadFile(name)
}

// in is the place that a file or directory of the working tree has at the
// revision.
func (t *baseTree) in(name string) string {
	if rel := relative(name, t.top); t.checkout != "" && rel != name {
		return filepath.Join(t.checkout, rel)
	}
	return name
}

// original is the inverse of in.
func (t *baseTree) original(name string) string {
	if t.checkout == "" {
		return name
	}
	if rel := relative(name, t.checkout); rel != name {
		return filepath.Join(t.top, rel)
	}
	return name
}

// had reports whether the file was there at the revision.
func (t *baseTree) had(name string) bool {
	if t.checkout != "" {
		_, err := os.Stat(t.in(name))
		return err == nil
	}
	if t.changes.Added[name] {
		return false
	}
	_, changed := t.changes.Before[name]
	_, err := os.Stat(name)
	return changed || err == nil
}

// explain adds to an error of the revision's code where it comes from.
func (t *baseTree) explain(err error) error {
	text := err.Error()
	if t.checkout != "" {
		text = strings.ReplaceAll(text, t.checkout+string(filepath.Separator), "")
	}
	return fmt.Errorf("the base (%s): %s\n\tCompare with a revision that builds, or with a list of known findings: -baseline FILE", t.base, text)
}

// program loads what the patterns of a run match at the revision. It shares
// with head, which is loaded already, what has not changed.
func (t *baseTree) program(ctx context.Context, p *process, o *options, g *goEnv, head *program) (*program, error) {
	if g.GOWORK == "" && !t.had(g.GOMOD) {
		return &program{fset: head.fset}, nil // the module is new
	}
	if t.checkout == "" {
		l := &baseLoader{tree: t, o: o, g: g, head: head, cfg: o.loadConfig(ctx, p.env, g)}
		l.cfg.Fset = head.fset
		l.cfg.BuildFlags = append(l.cfg.BuildFlags, "-overlay="+t.overlay())
		return l.load()
	}
	there := *g
	there.dir, there.GOMOD = t.in(g.dir), t.in(g.GOMOD)
	if _, err := os.Stat(there.dir); err != nil {
		return &program{fset: head.fset}, nil
	}
	q := *p
	q.env = append(p.env[:len(p.env):len(p.env)], "GOWORK="+t.in(g.GOWORK))
	return q.load(ctx, o, &there)
}

// errNotShared says that the base cannot be type-checked against the
// dependencies of the working tree.
var errNotShared = errors.New("dependencies differ")

// metadataMode is what can be known of packages without compiling any.
const metadataMode = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedDeps | packages.NeedModule | packages.NeedForTest
