package saturate

import (
	"fmt"
	"slices"
	"strings"
)

// A Verdict is what a scenario, run before and after a change, says about it.
type Verdict string

const (
	// Proven: the service collapses before and recovers in every trial after.
	Proven Verdict = "PROVEN"
	// NotReproduced: it does not collapse before, so nothing is shown.
	NotReproduced Verdict = "NOT REPRODUCED"
	// NotSufficient: it collapses before and does not recover reliably after.
	NotSufficient Verdict = "NOT SUFFICIENT"
	// Regressed: it is worse after.
	Regressed Verdict = "REGRESSED"
	// Invalid: the trials cannot be compared.
	Invalid Verdict = "INVALID"
)

var verdicts = []Verdict{Proven, NotReproduced, NotSufficient, Regressed, Invalid}

func (v Verdict) known() bool { return slices.Contains(verdicts, v) }

// An Endpoint is the one figure that a verdict rests on, fixed before the run.
type Endpoint string

const (
	// Goodput after the trigger decides about lost deadlines and detached work.
	Goodput Endpoint = "goodput"
	// Amplification, requests at the bottom per call, decides about retries, in a
	// blackout only: in a saturated run it may rise after a right fix, as freed
	// workers reach the dependency more often.
	Amplification Endpoint = "amplification"
)

// retryCodes are the findings about how often something is repeated. In a
// blackout amplification decides about them, in any other scenario goodput; the
// other findings are decided by goodput, which is nothing in a blackout.
var retryCodes = []string{"CTX301", "CTX302", "CTX303", "CTX304", "CTX306", "CTX309", "CTX310", "CTX311"}

// wrongEndpoint says why a scenario that decides by e cannot judge the fixes of
// these codes, "" if it can.
func wrongEndpoint(e Endpoint, codes []string) string {
	if e == Goodput || len(codes) == 0 || slices.ContainsFunc(codes, func(c string) bool { return slices.Contains(retryCodes, c) }) {
		return ""
	}
	return fmt.Sprintf("a blackout shows how often calls are repeated, and nothing about %s; use a load spike or a brown-out", strings.Join(codes, ", "))
}

// A Spread is an endpoint over the seeds.
type Spread struct {
	Median float64 `json:"median"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
}

// A Comparison is a verdict with its evidence. P is about the random arrival
// and service times of this scenario, not about traffic in production.
type Comparison struct {
	Version  int      `json:"version"`
	Verdict  Verdict  `json:"verdict"`
	Why      string   `json:"why"`
	Endpoint Endpoint `json:"endpoint"`
	Before   Spread   `json:"before"`
	After    Spread   `json:"after"`
	// P of the exact one-sided Mann-Whitney test that after is better; five
	// separated seeds give 0.004.
	P float64 `json:"p"`
	// CliffsDelta is 1 if every trial after is better than every one before.
	CliffsDelta float64 `json:"cliffs_delta"`
	// HodgesLehmann is the median difference, after less before.
	HodgesLehmann float64 `json:"hodges_lehmann"`
	Expect        *Expect `json:"expect,omitempty"`
	// Met: the verdict is Proven or the one expected.
	Met bool `json:"met"`
}

// The bounds of a verdict, fixed before any run.
const (
	minSeeds      = 5 // four separated seeds cannot reach maxP
	maxP          = 0.01
	collapsed     = 0.5  // median goodput after the trigger
	baseTolerance = 0.02 // by which the goodput before the trigger may differ
	worse         = 0.05 // goodput lost that counts as a regression
	halved        = 0.5  // amplification that is left, at most
)

func invalid(e Endpoint, why string) Comparison {
	return Comparison{Version: formatVersion, Verdict: Invalid, Why: why, Endpoint: e, P: 1}
}

// compare gives the verdict on trials before and after a change.
func compare(before, after []Trial, endpoint Endpoint) Comparison {
	if why := incomparable(before, after); why != "" {
		return invalid(endpoint, why)
	}
	c := Comparison{Version: formatVersion, Endpoint: endpoint}
	x, y := figures(before, endpoint), figures(after, endpoint)
	c.Before, c.After = spread(x), spread(y)
	c.CliffsDelta, c.HodgesLehmann = rounded(cliffsDelta(x, y)), rounded(hodgesLehmann(x, y))
	if endpoint == Amplification {
		c.P = rounded(mannWhitney(y, x)) // less is better
		c.CliffsDelta = -c.CliffsDelta
		c.Verdict, c.Why = judgeAmplification(c, mannWhitney(x, y))
	} else {
		c.P = rounded(mannWhitney(x, y))
		c.Verdict, c.Why = judgeGoodput(c, before, after, mannWhitney(y, x))
	}
	return c
}

func figures(trials []Trial, e Endpoint) (xs []float64) {
	for i := range trials {
		xs = append(xs, trials[i].endpoint(e))
	}
	return xs
}

// incomparable says why no verdict is possible, "" if one is.
func incomparable(before, after []Trial) string {
	offered := map[uint64]int{}
	for _, tr := range before {
		if tr.Invalid != "" {
			return fmt.Sprintf("before, seed %d: %s", tr.Seed, tr.Invalid)
		}
		offered[tr.Seed] = tr.Calls
	}
	seeds := map[uint64]bool{}
	for _, tr := range after {
		if tr.Invalid != "" {
			return fmt.Sprintf("after, seed %d: %s", tr.Seed, tr.Invalid)
		}
		calls, ok := offered[tr.Seed]
		switch {
		case !ok:
			return fmt.Sprintf("the seeds differ: %d is not among those before", tr.Seed)
		case calls != tr.Calls: // a seed fixes the load
			return fmt.Sprintf("the scenarios differ: with seed %d they offer %d calls before and %d after", tr.Seed, calls, tr.Calls)
		}
		seeds[tr.Seed] = true
	}
	switch n := len(seeds); {
	case n != len(offered):
		return fmt.Sprintf("the seeds differ: %d before, %d after", len(offered), n)
	case n < minSeeds:
		return fmt.Sprintf("%d distinct seeds are too few for a verdict, which takes %d", n, minSeeds)
	}
	return ""
}

func judgeGoodput(c Comparison, before, after []Trial, pWorse float64) (Verdict, string) {
	base := func(trials []Trial) float64 {
		var xs []float64
		for _, tr := range trials {
			xs = append(xs, tr.Base)
		}
		return median(xs)
	}
	recovered := 0
	for i := range after {
		if after[i].Recovered() {
			recovered++
		}
	}
	baseBefore, baseAfter := base(before), base(after)
	medians := fmt.Sprintf("median goodput after the trigger %.2f before the fix, %.2f with it", c.Before.Median, c.After.Median)
	switch {
	case baseAfter < baseBefore-baseTolerance:
		return Regressed, fmt.Sprintf("goodput without any trigger falls from %.2f to %.2f", baseBefore, baseAfter)
	case pWorse < maxP && c.HodgesLehmann < -worse:
		return Regressed, fmt.Sprintf("%s, p = %.3f", medians, pWorse)
	case c.Before.Median >= collapsed:
		return NotReproduced, fmt.Sprintf("without the fix the service does not collapse: %s", medians)
	case recovered < len(after):
		return NotSufficient, fmt.Sprintf("%s; it recovers with %d of %d seeds; a shorter queue, admission control, LIFO order or a retry budget may be needed as well", medians, recovered, len(after))
	case c.P >= maxP:
		return NotSufficient, fmt.Sprintf("%s; p = %.3f is no clear difference", medians, c.P)
	}
	return Proven, fmt.Sprintf("%s; it recovers with every seed; p = %.3f", medians, c.P)
}

func judgeAmplification(c Comparison, pWorse float64) (Verdict, string) {
	medians := fmt.Sprintf("requests at the bottom per call: %.2f before the fix, %.2f with it", c.Before.Median, c.After.Median)
	switch {
	case pWorse < maxP:
		return Regressed, fmt.Sprintf("%s, p = %.3f", medians, pWorse)
	case c.Before.Median <= 1:
		return NotReproduced, "nothing is repeated without the fix: " + medians
	case c.P >= maxP || c.After.Median > halved*c.Before.Median:
		return NotSufficient, fmt.Sprintf("%s, which is not at most half; p = %.3f", medians, c.P)
	}
	return Proven, fmt.Sprintf("%s; p = %.3f", medians, c.P)
}
