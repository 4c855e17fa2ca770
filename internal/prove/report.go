package prove

import (
	"fmt"
	"slices"

	"github.com/ctxprop/ctxprop/internal/finding"
)

// Report is the outcome of a proof.
type Report struct {
	Dir       string // file names below it are shown relative to it
	Scenarios []*Outcome
	Findings  []*FindingOutcome
	// Left are the findings that remain with the fixes in and were not among
	// those without a fix.
	Left []*finding.Finding
}

// Outcome is a scenario without and with the fixes.
type Outcome struct {
	Key           Key
	Before, After *Measured // After is nil if the test did not get that far
	Fixed         []*finding.Finding
	Judgement     Judgement
	Each          []Without // with -each
}

// Without is the verdict if some of the fixes are left out.
type Without struct {
	Fixes     []*finding.Finding
	Judgement Judgement
}

// FindingOutcome says what became of a finding: measured by scenarios, or a
// verdict that says why not.
type FindingOutcome struct {
	Finding   *finding.Finding
	Scenarios []*Outcome
	Verdict   Verdict // if there are none
	Why       string
}

// NewReport joins the runs of all packages. What a scenario measured stands
// beside every finding on its path.
func NewReport(dir string, p *Plan, runs []*Pair) *Report {
	r := &Report{Dir: dir}
	for _, pair := range runs {
		r.Scenarios = append(r.Scenarios, pair.outcomes(p)...)
	}
	for _, f := range p.Findings {
		out := &FindingOutcome{Finding: f}
		for _, s := range r.Scenarios {
			if slices.Contains(s.Fixed, f) {
				out.Scenarios = append(out.Scenarios, s)
			}
		}
		if out.Scenarios == nil {
			if !p.Asked(f) {
				continue
			}
			out.Verdict, out.Why = p.unmeasured(f)
		}
		r.Findings = append(r.Findings, out)
	}
	return r
}

// Pair is the runs of a package without and with fixes.
type Pair struct {
	Package       *TestPackage
	Before, After *Run
}

// Exercises reports whether a scenario of the pair has one of the findings on its
// path.
func (r *Report) Exercises(pair *Pair, fs []*finding.Finding) bool {
	return slices.ContainsFunc(r.Scenarios, func(o *Outcome) bool { return o.exercises(pair, fs) })
}

func (o *Outcome) exercises(pair *Pair, fs []*finding.Finding) bool {
	return o.Key.Package == pair.Package.Path && slices.ContainsFunc(fs, func(f *finding.Finding) bool { return slices.Contains(o.Fixed, f) })
}

// AddWithout notes the verdicts of a run in which the fixes of some findings
// were left out.
func (r *Report) AddWithout(pair *Pair, fs []*finding.Finding, after *Run) {
	pair = &Pair{pair.Package, pair.Before, after}
	for _, o := range r.Scenarios {
		if o.exercises(pair, fs) {
			o.Each = append(o.Each, Without{fs, pair.judge(o.Before, after.Find(o.Key))})
		}
	}
}

func (r *Pair) outcomes(p *Plan) []*Outcome {
	var out []*Outcome
	for _, m := range r.Before.Scenarios {
		o := &Outcome{Key: m.Key, Before: m, After: r.After.Find(m.Key), Fixed: p.On(m)}
		o.Judgement = r.judge(m, o.After)
		out = append(out, o)
	}
	for _, side := range []*Run{r.Before, r.After} {
		for _, f := range side.Failed {
			if r.Before.Find(f.Key) == nil && !slices.ContainsFunc(out, func(o *Outcome) bool { return o.Key == f.Key }) {
				out = append(out, r.unbegun(p, f))
			}
		}
	}
	return out
}

// unbegun is the outcome of a test that did not come to its scenario without
// the fixes. If it does with them, what the scenario declares holds: there are
// faults with which a service cannot even be built.
func (r *Pair) unbegun(p *Plan, f Failure) *Outcome {
	o := &Outcome{Key: f.Key, Before: &Measured{Key: f.Key}, After: r.After.Find(f.Key), Judgement: invalid("the test failed before it measured anything: " + f.Last)}
	if o.After == nil {
		return o
	}
	o.Before.Scenario, o.Fixed = o.After.Scenario, p.On(o.After)
	if failed := r.After.Failure(f.Key); failed != "" {
		o.Judgement = invalid("the test failed with the fixes: " + failed)
		return o
	}
	o.Judgement.Met = o.After.Expect != nil && o.After.Expect.Verdict == Invalid
	return o
}

// judge is the test's own verdict, unless something went wrong around it.
func (r *Pair) judge(before, after *Measured) Judgement {
	switch failed := r.After.Failure(before.Key); {
	case r.Before.Failure(before.Key) != "":
		return invalid("the test failed without the fixes: " + r.Before.Failure(before.Key))
	case failed != "":
		return invalid("the test failed with the fixes: " + failed)
	case after == nil:
		return invalid("the test ran no scenario with the fixes")
	case after.Judgement == nil:
		return invalid(fmt.Sprintf("the test gave no verdict; is its %s older than this ctxprop?", RuntimeModule))
	}
	return *after.Judgement
}

func invalid(why string) Judgement { return Judgement{Verdict: Invalid, Why: why} }

// Met reports whether every scenario's verdict is PROVEN or the one that it
// declared.
func (r *Report) Met() bool {
	return !slices.ContainsFunc(r.Scenarios, func(o *Outcome) bool { return !o.Judgement.Met })
}
