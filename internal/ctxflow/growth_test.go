package ctxflow

import (
	"bytes"
	"cmp"
	"encoding/gob"
	"fmt"
	"go/types"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/types/objectpath"
)

// chainFirst loses a context in two methods; chainNext is ordinary code that
// calls the package before it.
const (
	chainFirst = `package p

import "context"

type sink interface { Load(ctx context.Context, id string) error }

type Store struct { s sink; n int }

func New(s sink) *Store { return &Store{s: s} }

func (s *Store) Get(ctx context.Context, id string) error { return s.s.Load(ctx, id) }
func (s *Store) Put(ctx context.Context, id string) error { return s.s.Load(ctx, id) }
func (s *Store) Flush() error { return s.s.Load(context.Background(), "all") }
func (s *Store) Len() int { return s.n }
func Do(ctx context.Context, s *Store) error { return s.Get(ctx, "1") }
`
	chainNext = `package p

import (
	"context"

	prev "chain/p%03d"
)

type Store struct { below *prev.Store; names map[string]int }

type Cache struct { Store; hits int }

func New(below *prev.Store) *Store { return &Store{below: below} }

func (s *Store) Get(ctx context.Context, id string) error { return s.below.Get(ctx, id) }
func (s *Store) Put(ctx context.Context, id string) error {
	if err := s.Get(ctx, id); err != nil {
		return err
	}
	return s.below.Put(ctx, id)
}
func (s *Store) Each(ctx context.Context, ids []string) error {
	for _, id := range ids {
		if err := s.Get(ctx, id); err != nil {
			return err
		}
	}
	return nil
}
func (s *Store) Flush() error { return s.below.Flush() }
func (s *Store) Len() int { return len(s.names) + s.below.Len() }
func (c *Cache) Get(ctx context.Context, id string) error { c.hits++; return c.Store.Get(ctx, id) }
func (c *Cache) Hits() int { return c.hits }
func Do(ctx context.Context, s *Store) error { return prev.Do(ctx, s.below) }
`
)

// TestFactGrowth: what a package leaves to its importers holds facts on
// methods of everything below it, so that a fact in each package would grow
// with the square of their number. With one loss at the bottom, the last
// packages of a long chain must not be larger than the first.
func TestFactGrowth(t *testing.T) {
	const (
		packages = 400
		limit    = 4 << 10 // bytes in any one package
	)
	sources := files{"chain/p000/p.go": chainFirst}
	for i := 1; i < packages; i++ {
		sources[fmt.Sprintf("chain/p%03d/p.go", i)] = fmt.Sprintf(chainNext, i-1)
	}
	size := map[string]int{}
	for _, act := range load(t, sources).actions(t, Config{}) {
		size[act.Package.PkgPath] = vetxSize(t, act)
	}
	sum := func(from, to int) (total int) {
		for i := from; i < to; i++ {
			total += size[fmt.Sprintf("chain/p%03d", i)]
		}
		return total
	}
	if size["chain/p000"] == 0 {
		t.Error("no facts in the package that loses a context")
	}
	for pkg, n := range size {
		if n > limit {
			t.Errorf("%s: %d bytes of facts, more than %d", pkg, n, limit)
		}
	}
	first, last := sum(0, packages/2), sum(packages/2, packages)
	t.Logf("%d bytes in the first half of the packages, %d in the second", first, last)
	if last > first+first/10 {
		t.Errorf("%d bytes in the first half of the packages, %d in the second: facts grow faster than packages", first, last)
	}
}

// encodedFact is a fact as the drivers of x/tools write it.
type encodedFact struct {
	PkgPath string
	Object  objectpath.Path
	Fact    analysis.Fact
}

// vetxSize is the size of what go vet would keep for the importers of the
// action's package: all facts but those on imported functions, which importers
// get from the source. The real thing also drops what the importers' types
// cannot reach.
func vetxSize(t *testing.T, act *checker.Action) int {
	t.Helper()
	gob.Register(new(Fact))
	var encoder objectpath.Encoder
	var all []encodedFact
	for _, f := range act.AllObjectFacts() {
		if f.Object.Pkg() != act.Package.Types && f.Object.(*types.Func).Signature().Recv() == nil {
			continue
		}
		if p, err := encoder.For(f.Object); err == nil {
			all = append(all, encodedFact{f.Object.Pkg().Path(), p, f.Fact})
		}
	}
	if len(all) == 0 {
		return 0
	}
	slices.SortFunc(all, func(a, b encodedFact) int {
		return cmp.Or(strings.Compare(a.PkgPath, b.PkgPath), cmp.Compare(a.Object, b.Object))
	})
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(all); err != nil {
		t.Fatal(err)
	}
	return b.Len()
}
