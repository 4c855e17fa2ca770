package fix_test

import (
	"go/ast"
	"testing"

	"github.com/ctxprop/ctxprop/internal/fix"
)

const twoRoots = `package p

import "context"

func f(ctx, other context.Context) (a, b context.Context) {
	return context.Background(), context.TODO()
}
`

// loadTwoRoots returns a Builder for twoRoots, its calls and its variables.
func loadTwoRoots(t *testing.T) (b *fix.Builder, calls []*ast.CallExpr, ctx, other fix.Expr) {
	t.Helper()
	pass, err := source{"p.go": twoRoots}.load()
	if err != nil {
		t.Fatal(err)
	}
	decl := pass.Files[0].Decls[1]
	return fix.NewBuilder(pass), roots(decl), exprIn(t, pass, decl, "ctx"), exprIn(t, pass, decl, "other")
}

func TestSameCallTwice(t *testing.T) {
	b, calls, ctx, other := loadTwoRoots(t)
	first, err := b.ReplaceRoot(calls[0], ctx)
	if err != nil {
		t.Fatal(err)
	}
	if second, err := b.ReplaceRoot(calls[0], ctx); err != nil || second != first {
		t.Errorf("the same replacement again is %v, %v, want the first", second, err)
	}
	if _, err := b.ReplaceRoot(calls[0], other); err == nil {
		t.Error("another expression for the same call is accepted")
	}
}

func TestReplaceAfterFix(t *testing.T) {
	b, calls, ctx, _ := loadTwoRoots(t)
	r, err := b.ReplaceRoot(calls[0], ctx)
	if err != nil {
		t.Fatal(err)
	}
	r.Fix()
	if _, err := b.ReplaceRoot(calls[1], ctx); err == nil {
		t.Error("a replacement is accepted that earlier fixes do not know of")
	}
}

func TestForeignCall(t *testing.T) {
	b, _, ctx, _ := loadTwoRoots(t)
	_, calls, _, foreign := loadTwoRoots(t)
	if _, err := b.ReplaceRoot(calls[0], foreign); err == nil {
		t.Error("a call of another package is accepted")
	}
	if _, err := b.ReplaceRoot(calls[0], ctx); err == nil {
		t.Error("a call of another package is accepted for a variable of this one")
	}
	if _, err := b.ReplaceRoot(calls[0], fix.Expr{}); err == nil {
		t.Error("no variable is accepted")
	}
}

func TestCallAt(t *testing.T) {
	b, calls, _, _ := loadTwoRoots(t)
	for _, call := range calls {
		if got := b.CallAt(call.Lparen); got != call {
			t.Errorf("CallAt(Lparen) = %v, want the call", got)
		}
		if got := b.CallAt(call.Pos()); got != nil {
			t.Errorf("CallAt(Pos) = %v, want nil", got)
		}
	}
	if got := b.CallAt(0); got != nil {
		t.Errorf("CallAt(NoPos) = %v, want nil", got)
	}
}
