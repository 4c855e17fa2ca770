package mended

import (
	"context"
	"testing"
	"time"

	"github.com/ctxprop/ctxprop/runtime/saturate"
	"github.com/ctxprop/ctxprop/runtime/testdata/prove/CTX201/after"
	"github.com/ctxprop/ctxprop/runtime/testdata/prove/CTX201/before"
	"github.com/ctxprop/ctxprop/runtime/testdata/prove/orderspb"
)

func TestCTX201(t *testing.T) {
	proven(t,
		func(d *saturate.Deps) orderspb.OrdersServer { return before.New(packing{d}) },
		func(d *saturate.Deps) orderspb.OrdersServer { return after.New(packing{d}) },
		func(sc *saturate.Scenario) {
			// First in, first out would serve those who are next to give up.
			sc.Dependency = saturate.Dependency{ServiceTime: 10 * time.Millisecond, Order: saturate.LIFO}
			sc.Capacity = 80 // orders of five items
		})
}

type packing struct{ d *saturate.Deps }

func (s packing) Pack(string, int) error { return s.d.Do(context.Background()) }
