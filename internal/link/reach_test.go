package link_test

import (
	"maps"
	"slices"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/ctxprop/ctxprop/internal/ctxflow"
	"github.com/ctxprop/ctxprop/internal/link"
)

// TestReached follows calls, also through an interface and into closures, from
// the functions that are asked for and from no others.
func TestReached(t *testing.T) {
	prog := load(t, txtar.Parse([]byte(`
-- go.mod --
module example.com/app

go 1.26
-- store/store.go --
package store

import "context"

type Store interface{ Get(ctx context.Context) error }

type disk struct{ remote remote }

type remote interface{ Call(ctx context.Context) error }

func New() Store { return new(disk) }

func (d *disk) Get(ctx context.Context) error {
	return func() error { return d.read(ctx) }()
}

func (d *disk) read(ctx context.Context) error { return d.remote.Call(ctx) }

func (d *disk) drop(ctx context.Context) error { return d.remote.Call(ctx) }
-- web/web.go --
package web

import (
	"context"

	"example.com/app/store"
)

func One(ctx context.Context, s store.Store) error { return s.Get(ctx) }

func Two(ctx context.Context, s store.Store) error { return nil }
`)))
	pkgs := prog.analyze(t)
	for _, test := range []struct {
		from string
		want []string
	}{
		{"example.com/app/web.One", []string{
			"(*example.com/app/store.disk).Get", "(*example.com/app/store.disk).read", "example.com/app/web.One",
		}},
		{"example.com/app/web.Two", []string{"example.com/app/web.Two"}},
		{"example.com/app/web.Three", nil},
	} {
		got := slices.Sorted(maps.Keys(link.Reached(pkgs, func(n *ctxflow.Node) bool { return n.Key == test.from })))
		if !slices.Equal(got, test.want) {
			t.Errorf("from %s: %q, want %q", test.from, got, test.want)
		}
	}
}
