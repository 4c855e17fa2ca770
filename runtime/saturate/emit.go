package saturate

import (
	"encoding/json"
	"testing"
)

// maxAttr is what test2json keeps on one line with the test's name: 4096 bytes.
const maxAttr = 3800

func (r *result) emit(t *testing.T) {
	t.Helper()
	attr(t, "ctxprop.scenario", r.description)
	for _, tr := range r.trials {
		attr(t, "ctxprop.trial", tr)
		attr(t, "ctxprop.series", tr.Series)
	}
}

func attr(t *testing.T, key string, value any) {
	t.Helper()
	b, err := json.Marshal(value)
	if err != nil {
		t.Fatalf("saturate: %s: %v", key, err)
	}
	if len(b) > maxAttr {
		t.Errorf("saturate: %s has %d bytes; go test -json would cut more than %d", key, len(b), maxAttr)
		return
	}
	t.Attr(key, string(b))
}
