package saturate

import (
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"testing"
)

// Test runs the scenario and fails if the service does not recover from the
// trigger or, in a blackout, repeats calls more often than MaxAmplification; a
// scenario that cannot collapse fails as well. With Expect, what must come is
// the declared verdict: NotSufficient passes while the service does not recover.
//
// With CTXPROP_PROVE set it reports, and compares with CTXPROP_BEFORE.
func Test(t *testing.T, sc Scenario) {
	t.Helper()
	if _, second := tested.LoadOrStore(t, true); second {
		t.Fatalf("saturate: this test has run a scenario already: give each a test or a subtest of its own")
	}
	t.Cleanup(func() { tested.Delete(t) })
	r := run(t, sc)
	r.emit(t)
	if os.Getenv("CTXPROP_PROVE") == "" {
		r.judge(t)
		return
	}
	before, err := fromEnv[[]Trial]("CTXPROP_BEFORE", t.Name())
	if err != nil {
		t.Fatalf("saturate: %v", err)
	}
	codes, err := fromEnv[[]string]("CTXPROP_CODES", t.Name())
	if err != nil {
		t.Fatalf("saturate: %v", err)
	}
	if before != nil {
		r.verdict(t, before, codes)
	}
}

// tested are the tests that Test has been called for: attributes belong to a
// test, so that two scenarios would be mixed up.
var tested sync.Map

func (r *result) verdict(t *testing.T, before []Trial, codes []string) {
	t.Helper()
	endpoint := r.description.Endpoint
	c := compare(before, r.trials, endpoint)
	if why := wrongEndpoint(endpoint, codes); why != "" {
		c = invalid(endpoint, why)
	}
	if c.Verdict == NotReproduced && r.description.CannotReproduce != "" {
		c.Why += "; " + r.description.CannotReproduce
	}
	c.expect(r.description.Expect)
	attr(t, "ctxprop.verdict", c)
}

// Compare runs a scenario before and after a change, leaves the attributes of
// both, the second's last, and returns the verdict.
func Compare(t *testing.T, before, after Scenario) Comparison {
	t.Helper()
	x, y := run(t, before), run(t, after)
	c := compare(x.trials, y.trials, y.description.Endpoint)
	if x.description.Endpoint != y.description.Endpoint {
		c = invalid(y.description.Endpoint, "one of the scenarios is a blackout and the other is not")
	}
	c.expect(y.description.Expect)
	x.emit(t)
	y.emit(t)
	attr(t, "ctxprop.verdict", c)
	return c
}

func (c *Comparison) expect(e *Expect) {
	c.Expect = e
	c.Met = c.Verdict == Proven || e != nil && c.Verdict == e.Verdict
}

// fromEnv returns what a variable, a JSON object from tests to values, holds for
// the test.
func fromEnv[T any](name, test string) (value T, err error) {
	text := os.Getenv(name)
	if text == "" {
		return value, nil
	}
	all := map[string]T{}
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		return value, fmt.Errorf("%s must be a JSON object from the names of tests to values: %v", name, err)
	}
	return all[test], nil
}

// judge is what Test says when there is nothing to compare with.
func (r *result) judge(t *testing.T) {
	t.Helper()
	d := r.description
	expected := Verdict("")
	if d.Expect != nil {
		expected = d.Expect.Verdict
	}
	for _, tr := range r.trials {
		if tr.Invalid != "" && expected != Invalid {
			t.Errorf("seed %d does not count: %s", tr.Seed, tr.Invalid)
		}
		if tr.Leaked != "" {
			t.Errorf("seed %d: goroutines outlived the service: %s", tr.Seed, tr.Leaked)
		}
	}
	down := 0
	for _, tr := range r.trials {
		if fault := tr.fault(d.Endpoint, r.maxAmplification); fault != "" {
			down++
			if expected != NotSufficient {
				t.Errorf("seed %d: %s", tr.Seed, fault)
			}
		}
	}
	if down == 0 && d.CannotReproduce != "" && expected != NotReproduced {
		t.Errorf("%s", d.CannotReproduce)
	}
	if expected == NotSufficient && down == 0 {
		t.Errorf("the scenario expects %s (%s), but the service recovers with every seed; drop Expect", expected, d.Expect.Reason)
	}
}

// minPost is the goodput after the trigger that Test accepts, the seconds that
// the recovery takes included.
const minPost = 0.8

// fault says in one line what is wrong with a trial, "" if nothing is.
func (tr *Trial) fault(e Endpoint, maxAmplification float64) string {
	if e == Amplification {
		if tr.Amplification <= maxAmplification {
			return ""
		}
		return fmt.Sprintf("%.2f requests at the bottom per call, and at most %.4g are right (MaxAmplification)", tr.Amplification, maxAmplification)
	}
	if tr.Recovered() && tr.Post >= minPost {
		return ""
	}
	recovery := "it never recovered"
	if tr.Recovered() {
		recovery = fmt.Sprintf("it recovered after %.1f s", tr.Recovery)
	}
	return fmt.Sprintf("goodput %.0f%% before the trigger, %.0f%% after, %s; %.1f of %.1f worker seconds went to callers that had gone, all workers were busy %.0f%% of the time after, %.0f%% of the dependency's requests had not their caller's deadline",
		tr.Base*100, tr.Post*100, recovery, tr.Zombie, tr.Worker, tr.Ceiling*100, tr.Detached*100)
}
