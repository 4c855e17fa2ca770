package ctxflow

import (
	"github.com/ctxprop/ctxprop/internal/callee"
)

// policyPaths are the paths through a library function that retries. ok is
// false if the function is none.
func (e *engine) policyPaths(f *function, cs *callsite, t callee.Target) ([]*retryPath, bool) {
	return nil, false
}
