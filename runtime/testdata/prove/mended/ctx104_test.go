package mended

import (
	"context"
	"testing"

	"github.com/ctxprop/ctxprop/runtime/saturate"
	"github.com/ctxprop/ctxprop/runtime/testdata/prove/CTX104/after"
	"github.com/ctxprop/ctxprop/runtime/testdata/prove/CTX104/before"
	"github.com/ctxprop/ctxprop/runtime/testdata/prove/orderspb"
)

func TestCTX104(t *testing.T) {
	proven(t,
		func(d *saturate.Deps) orderspb.OrdersServer { return before.New(context.Background(), d) },
		func(d *saturate.Deps) orderspb.OrdersServer { return after.New(context.Background(), d) },
		unchanged)
}
