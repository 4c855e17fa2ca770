package mended

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/ctxprop/ctxprop/runtime/saturate"
	"github.com/ctxprop/ctxprop/runtime/testdata/prove/CTX107/after"
	"github.com/ctxprop/ctxprop/runtime/testdata/prove/CTX107/before"
	"github.com/ctxprop/ctxprop/runtime/testdata/prove/orderspb"
)

// Each call that runs out of time keeps its place, until there is none left.
func TestCTX107(t *testing.T) {
	proven(t,
		func(d *saturate.Deps) orderspb.OrdersServer { return before.New(newPlaces(d.Do)) },
		func(d *saturate.Deps) orderspb.OrdersServer { return after.New(newPlaces(d.Do)) },
		func(sc *saturate.Scenario) {
			sc.Deadline = 150 * time.Millisecond
			sc.Dependency = saturate.Dependency{CV: 1}
		})
}

// places are what a call takes and gives back with one request each. pack is
// what it does in between.
type places struct {
	free    chan struct{}
	request func(context.Context) error
}

func newPlaces(request func(context.Context) error) *places {
	return &places{make(chan struct{}, 32), request}
}

var errNone = errors.New("no place is free")

func (p *places) Take(ctx context.Context, _ string) error {
	select {
	case p.free <- struct{}{}:
		return nil
	default:
		return errNone
	}
}

func (p *places) Pack(ctx context.Context, _ string) error { return p.request(ctx) }

func (p *places) Release(ctx context.Context, _ string) error {
	if err := ctx.Err(); err != nil {
		return err // as a request on it would
	}
	<-p.free
	return nil
}
