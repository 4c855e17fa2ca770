package mended

import (
	"testing"

	"github.com/ctxprop/ctxprop/runtime/saturate"
	"github.com/ctxprop/ctxprop/runtime/testdata/prove/CTX301/after"
	"github.com/ctxprop/ctxprop/runtime/testdata/prove/CTX301/before"
	"github.com/ctxprop/ctxprop/runtime/testdata/prove/orderspb"
)

func TestCTX301(t *testing.T) {
	proven(t,
		func(d *saturate.Deps) orderspb.OrdersServer { return before.New(d) },
		func(d *saturate.Deps) orderspb.OrdersServer { return after.New(d) },
		blackout)
}
