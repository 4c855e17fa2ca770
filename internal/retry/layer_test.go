package retry

import (
	"testing"
)

// native is a retryPolicy of n attempts on UNAVAILABLE, in a service whose
// handlers return the error in the given way.
func native(n int, handler Mapping) Layer {
	return Layer{Attempts: Exactly(n), Retries: Errors(Unavailable), Gives: handler.Then(OverConnection)}
}

// TestBoundsOfANest holds the chains that were measured on real servers, and
// the products of single patterns.
func TestBoundsOfANest(t *testing.T) {
	anything := AnyError.Minus(Errors(Permanent))
	library := Layer{Attempts: Exactly(3), Retries: anything, Gives: Kept}
	for _, test := range []struct {
		name        string
		layers      []Layer
		bottom      ErrorSet
		adversarial int
		steady      int
		certain     bool
	}{
		{"three hops, errors returned", []Layer{native(3, Kept), native(3, Kept), native(3, Kept)}, Errors(Unavailable), 27, 27, true},
		{"three hops of five", []Layer{native(5, Kept), native(5, Kept), native(5, Kept)}, Errors(Unavailable), 125, 125, true},
		{"wrapped with %v", []Layer{native(3, Flattened), native(3, Flattened), native(3, Flattened)}, Errors(Unavailable), 27, 3, true},
		{"mapped to another code", []Layer{native(3, Replaced(FailedPrecondition)), native(3, Replaced(FailedPrecondition))}, Errors(Unavailable), 9, 3, true},
		{"mapped to the retried code", []Layer{native(3, Kept), native(3, Replaced(Unavailable))}, Errors(Unavailable, Internal), 9, 9, true},
		{"interceptor on native", []Layer{{Attempts: Exactly(3), Retries: Errors(ResourceExhausted, Unavailable), Gives: Kept}, native(4, Kept)}, AnyError, 12, 12, true},
		{"disjoint codes", []Layer{{Attempts: Exactly(3), Retries: Errors(Aborted), Gives: Kept}, native(4, Kept)}, AnyError, 12, 4, true},
		{"unknown handler", []Layer{native(3, Kept), native(3, Untold)}, Errors(Unavailable), 9, 9, false},
		{"unknown handler between disjoint codes", []Layer{{Attempts: Exactly(5), Retries: Errors(Aborted), Gives: Kept}, native(3, Kept), native(2, Untold)}, Errors(Unavailable), 30, 10, false},
		{"library in library", []Layer{library, {Attempts: Exactly(4), Retries: anything, Gives: Kept}}, AnyError, 12, 12, true},
		{"permanent survives", []Layer{library, library}, Errors(Permanent), 9, 1, true},
		{"permanent stripped", []Layer{library, {Attempts: Exactly(3), Retries: anything, Gives: Mapping{Keeps: anything, Others: Errors(Plain)}}}, Errors(Permanent), 9, 3, true},
		{"opt-in error, unwrapped on the way out", []Layer{
			{Attempts: Exactly(3), Retries: Errors(Aborted), Gives: Kept},
			{Attempts: Exactly(3), Retries: Errors(Aborted), Gives: Mapping{Keeps: AnyError.Minus(Errors(Aborted)), Others: Errors(Plain)}},
		}, Errors(Aborted), 9, 3, true},
		{"job and connection", []Layer{
			{Kind: Job, Attempts: Exactly(25), Retries: AnyError, Gives: Kept}, library,
			{Kind: Connection, Attempts: Exactly(3), Retries: AnyError, Gives: Kept},
		}, AnyError, 3, 3, true},
		{"hedge over a policy that cannot see the error", []Layer{{Kind: Hedge, Attempts: Exactly(2), Gives: Kept}, native(3, Kept)}, Errors(Unavailable), 6, 6, true},
		{"context's end is not retried", []Layer{native(3, Kept)}, ContextEnd, 3, 1, true},
		{"no layer", nil, AnyError, 1, 1, true},
	} {
		if got := Adversarial(test.layers).Total().Worst(); got != test.adversarial {
			t.Errorf("%s: adversarial %d, want %d", test.name, got, test.adversarial)
		}
		s := SingleCause(test.layers, test.bottom)
		if got := s.Factors.Total().Worst(); got != test.steady || s.Certain != test.certain {
			t.Errorf("%s: %v (%d) of %s, certain %v; want %d, %v", test.name, s.Factors, got, s.Cause, s.Certain, test.steady, test.certain)
		}
	}
}

func TestMappings(t *testing.T) {
	for _, test := range []struct {
		name     string
		m        Mapping
		in, want ErrorSet
	}{
		{"kept", Kept, Errors(Unavailable, Plain), Errors(Unavailable, Plain)},
		{"flattened", Flattened, Errors(Unavailable), Errors(Opaque)},
		{"flattened, then over a connection", Flattened.Then(OverConnection), Errors(Unavailable), Errors(UnknownCode, DeadlineExceeded, Canceled)},
		{"kept, then replaced", Kept.Then(Replaced(Internal)), Errors(Unavailable, Plain), Errors(Internal)},
		{"replaced, then kept", Replaced(Internal).Then(Kept), Errors(Unavailable), Errors(Internal)},
		{"nothing in, nothing out", Untold, 0, 0},
		{"untold", Untold, Errors(Unavailable), AnyError},
	} {
		if got := test.m.Apply(test.in); got != test.want {
			t.Errorf("%s: %s becomes %s, want %s", test.name, test.in, got, test.want)
		}
	}
}

func TestErrorSetString(t *testing.T) {
	for s, want := range map[ErrorSet]string{
		0:                             "no error",
		AnyError:                      "any error",
		Errors(Unavailable, Canceled): "CANCELLED, UNAVAILABLE",
		Errors(Plain, Permanent):      "an error without a status, a permanent error",
	} {
		if got := s.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestThrottled(t *testing.T) {
	plain := native(3, Kept)
	budget := plain
	budget.Throttle = &Throttle{10, 0.1}
	for _, test := range []struct {
		name   string
		layers []Layer
		want   bool
	}{
		{"every hop", []Layer{budget, budget, budget}, true},
		{"every hop but one", []Layer{budget, plain, budget}, true},
		{"one of three", []Layer{plain, plain, budget}, false},
	} {
		if got := Throttled(test.layers); got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
	}
}

// 10 tokens gave 4 retries in all against a server that was down.
func TestRetriesInOutage(t *testing.T) {
	for tokens, want := range map[float64]int{10: 4, 100: 49, 9: 4, 3: 1, 2.5: 1, 2: 0, 1: 0, 0.5: 0} {
		if got := (Throttle{MaxTokens: tokens}).RetriesInOutage(); got != want {
			t.Errorf("%v tokens: %d retries, want %d", tokens, got, want)
		}
	}
}
