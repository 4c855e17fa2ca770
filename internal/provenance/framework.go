package provenance

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ctxprop/ctxprop/internal/callee"
)

// This file follows the ways in which frameworks hand out a request's context,
// as the catalog's provider lines tell them: c.Request().Context() of echo,
// c.Request.Context() of gin, which is a context itself and ends only where its
// engine is told so.

// Carries reports whether t is a context, provides one, or stands for a request
// whose context the catalog knows how to ask for.
func (t *Tracer) Carries(typ types.Type) bool {
	if Carries(typ) {
		return true
	}
	if !mayHaveMethods(types.Unalias(typ)) {
		return false
	}
	p, ok := t.Catalog.Provider(typ)
	return ok && p.Expr != ""
}

func (t *Tracer) isDeaf(typ types.Type) bool {
	p, ok := t.Catalog.Provider(typ)
	return ok && p.Deaf
}

// heard marks origins as asked for the context that ends.
func heard(os []Origin) []Origin {
	for _, o := range os {
		if o.Deaf {
			return with(os, func(o *Origin) { o.Deaf = false })
		}
	}
	return os
}

// step is a call of the method with which the expression of a provider line
// begins: what it returns stands for the same request. It is nil if the call is
// of something else.
func (t *Tracer) step(target callee.Target) []Origin {
	if target.RecvShift() != 1 || len(target.Args) != 1 {
		return nil
	}
	return t.stepOf(target.Args[0], target.Obj.Name())
}

// fieldStep is step for a field.
func (t *Tracer) fieldStep(a *ssa.FieldAddr) []Origin {
	if f := callee.FieldOf(a); f != nil {
		return t.stepOf(a.X, f.Name())
	}
	return nil
}

func (t *Tracer) stepOf(x ssa.Value, name string) []Origin {
	if p, ok := t.Catalog.Provider(x.Type()); !ok || p.Step() != name {
		return nil
	}
	os := t.Of(x)
	for _, o := range os {
		if o.Kind == Unknown || o.Kind == Nil {
			return []Origin{{Kind: Stored}}
		}
	}
	return heard(os)
}
