package mended

import (
	"testing"

	"github.com/ctxprop/ctxprop/runtime/saturate"
	"github.com/ctxprop/ctxprop/runtime/testdata/prove/CTX302/after"
	"github.com/ctxprop/ctxprop/runtime/testdata/prove/CTX302/before"
	"github.com/ctxprop/ctxprop/runtime/testdata/prove/orderspb"
)

// The loop of a caller who has gone keeps its worker for good.
func TestCTX302(t *testing.T) {
	proven(t,
		func(d *saturate.Deps) orderspb.OrdersServer { return before.New(d) },
		func(d *saturate.Deps) orderspb.OrdersServer { return after.New(d) },
		unchanged)
}
