package prove

// Verdict is what a measurement says about the fixes on the path of a
// scenario, or why there is none for a finding.
type Verdict string

// The verdicts on a scenario.
const (
	// Proven: the code collapses without the fixes and recovers with them.
	Proven Verdict = "PROVEN"
	// NotReproduced: the code does not collapse without them either.
	NotReproduced Verdict = "NOT REPRODUCED"
	// NotSufficient: it still does not recover with them.
	NotSufficient Verdict = "NOT SUFFICIENT"
	// Regressed: with them it is worse.
	Regressed Verdict = "REGRESSED"
	// Invalid: the measurement does not count.
	Invalid Verdict = "INVALID"
)

// The verdicts on a finding that no scenario has measured.
const (
	// NotExercised: a gRPC handler leads to it, and no scenario calls that.
	NotExercised Verdict = "NOT EXERCISED"
	// NoScenario: no gRPC handler leads to it, so no scenario can.
	NoScenario Verdict = "NO SCENARIO"
	// NoFix: there is nothing to measure.
	NoFix Verdict = "NO FIX"
)
