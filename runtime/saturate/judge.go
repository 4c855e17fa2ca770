package saturate

import (
	"encoding/json"
	"fmt"
	"os"
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
	r := run(t, sc)
	r.emit(t)
	if os.Getenv("CTXPROP_PROVE") == "" {
		r.judge(t)
		return
	}
	before, err := trialsBefore(t.Name())
	if err != nil {
		t.Fatalf("saturate: %v", err)
	}
	if before != nil {
		c := compare(before, r.trials, r.description.Endpoint)
		c.expect(r.description.Expect)
		attr(t, "ctxprop.verdict", c)
	}
}

// Compare runs a scenario before and after a change, leaves the attributes of
// both, the second's last, and returns the verdict.
func Compare(t *testing.T, before, after Scenario) Comparison {
	t.Helper()
	x, y := run(t, before), run(t, after)
	c := compare(x.trials, y.trials, y.description.Endpoint)
	if x.description.Endpoint != y.description.Endpoint {
		c = Comparison{Version: formatVersion, Endpoint: y.description.Endpoint, P: 1, Verdict: Invalid,
			Why: "one of the scenarios is a blackout and the other is not"}
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

// trialsBefore returns what CTXPROP_BEFORE holds for the test, nil if nothing.
func trialsBefore(test string) ([]Trial, error) {
	text := os.Getenv("CTXPROP_BEFORE")
	if text == "" {
		return nil, nil
	}
	var all map[string][]Trial
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		return nil, fmt.Errorf("CTXPROP_BEFORE is not an object from tests to trials: %v", err)
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
	if d.CannotReproduce != "" && expected != NotReproduced {
		t.Errorf("%s", d.CannotReproduce)
	}
	if t.Failed() {
		return
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
