package ctxflow

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ctxprop/ctxprop/internal/provenance"
)

// TestCircle has a context that a loop reassigns under many conditions: each
// mention of it has two ways back, so that to walk them all would take as many
// steps as there are ways, which is 2 to the power of 200.
func TestCircle(t *testing.T) {
	var b strings.Builder
	b.WriteString(`package circle

import "context"

type store interface{ Load(ctx context.Context, n int) error }

func Load(ctx context.Context, s store, n int) {
	for i := range n {
`)
	for i := range 200 {
		fmt.Fprintf(&b, "\t\tif n+i == %[1]d {\n\t\t\tctx = context.WithValue(ctx, %[1]d, n)\n\t\t}\n", i)
	}
	b.WriteString("\t\t_ = s.Load(ctx, i)\n\t}\n}\n")
	r := load(t, files{"circle/circle.go": b.String()}).analyze(t, Config{})["circle"]
	if len(r.Sites) != 1 || len(r.Sites[0].Origins) != 1 || r.Sites[0].Origins[0].Kind != provenance.Param {
		t.Errorf("sites %v, want one with the parameter as its only origin", r.Sites)
	}
}
