package retrynest

import (
	"errors"
	"fmt"
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/ctxprop/ctxprop/internal/ctxflow"
	"github.com/ctxprop/ctxprop/internal/finding"
	"github.com/ctxprop/ctxprop/internal/fix"
)

// This file words what ctxflow says of retries in Go code.

// nests makes the findings of the package's verdicts on retries.
func nests(pass *analysis.Pass, flow *ctxflow.Result) []*finding.Finding {
	var fs []*finding.Finding
	b := fix.NewBuilder(pass)
	for _, v := range flow.Verdicts {
		if !Words(v.Code) {
			continue
		}
		f := Finding(pass.Fset, v)
		if edit, ok := waits(b, v); ok {
			f.Fixes = []analysis.SuggestedFix{edit}
		}
		fs = append(fs, f)
	}
	return fs
}

// waits is the fix of a retry that waits badly: its sleep ends with the context
// at hand, it waits at all, or what it waits varies.
func waits(b *fix.Builder, v *ctxflow.Verdict) (analysis.SuggestedFix, bool) {
	if !v.FixSafe {
		return analysis.SuggestedFix{}, false
	}
	obj, method := v.HandVar()
	use, asStatus := fix.Expr{Var: obj, Method: method}, v.Grade == finding.GradeRequest
	call := b.CallAt(v.RootCall)
	f, err := analysis.SuggestedFix{}, errors.New("there is no fix")
	switch {
	case v.Code == finding.DeafRetry && obj != nil && call != nil:
		f, err = b.WaitOrLeave(call, use, asStatus)
	case v.Code == finding.TightRetry && obj != nil:
		f, err = b.PauseBetween(v.Pos, use, asStatus)
	case v.Code == finding.FlatWait && call != nil:
		f, err = b.Vary(call)
	}
	return f, err == nil
}

// Words reports whether the code's findings are made of ctxflow's verdicts.
func Words(code finding.Code) bool {
	return slices.Contains([]finding.Code{finding.NestedRetry, finding.UnboundedRetry, finding.DeafRetry, finding.TightRetry, finding.HarmfulCodes, finding.RetryOutlives, finding.LostPermanent, finding.FlatWait}, code)
}

// Finding words a verdict, without a fix.
func Finding(fset *token.FileSet, v *ctxflow.Verdict) *finding.Finding {
	severity := v.Retry.Severity
	if v.Grade == finding.GradeContract && severity > finding.Info {
		severity--
	}
	return &finding.Finding{
		ID: v.ID(), Grade: v.Grade, Severity: severity,
		Pos: v.Pos, End: v.End,
		Position: fset.Position(v.Pos), EndPosition: fset.Position(v.End),
		Message: fmt.Sprintf("%s (%s)", message(v), v.Code),
		Entries: v.Entries,
		Witness: witness(fset, v),
	}
}

func message(v *ctxflow.Verdict) string {
	sink, home := v.Sink.Name, v.HomeName
	switch v.Code {
	case finding.NestedRetry:
		return nested(v)
	case finding.UnboundedRetry:
		return fmt.Sprintf("%s tries %s again for as long as it fails: no count, no time and no context ends that; give it a bound", home, sink)
	case finding.DeafRetry:
		if v.Retry.Why == "deadline" {
			return fmt.Sprintf("%s tries %s again when the deadline has passed, on the same context, so that it fails again at once; give each attempt a deadline of its own, or leave", home, sink)
		}
		if v.Retry.Why == "stay" {
			return fmt.Sprintf("%s goes on trying %s after %s has ended: this case leaves the select, not the loop; return from it", home, sink, hand(v))
		}
		return fmt.Sprintf("%s goes on trying %s, and waiting, after %s has ended; wait in a select with its Done", home, sink, hand(v))
	case finding.TightRetry:
		return fmt.Sprintf("%s tries %s again at once when it fails: without a wait between them the attempts hit a service that is overloaded already; wait, longer each time, with jitter", home, sink)
	case finding.HarmfulCodes:
		if v.Retry.Why == ctxflow.SpentBody {
			return fmt.Sprintf("%s tries %s again with a body that the first attempt has read, so that the others send none; make the body anew for each attempt", home, sink)
		}
		return fmt.Sprintf("%s tries %s again when it fails with %s, as the same request must again; leave on that", home, sink, v.Retry.Why)
	case finding.RetryOutlives:
		return fmt.Sprintf("%s tries %s for longer than it may: %s; make attempts fewer or shorter", home, sink, v.Retry.Why)
	case finding.FlatWait:
		return fmt.Sprintf("%s waits %s before each time it tries %s again: what failed together tries again together; wait longer each time, with jitter", home, v.Retry.Why, sink)
	case finding.LostPermanent:
		if v.Retry.Why == "words" {
			return fmt.Sprintf("%s marks errors as ones that must not be tried again, and %s passes them on in words, without the mark, so that %s tries again all the same; wrap them with %%w", sink, home, v.Retry.Layers[0].Through)
		}
		outer, inner := v.Retry.Layers[0], v.Retry.Layers[1]
		return fmt.Sprintf("%s stops at errors that are marked for it (%s:%d) and returns them without the mark, so that %s tries again on them all the same; mark them again", inner.Name, inner.Position.Filename, inner.Position.Line, outer.Name)
	}
	return ""
}

func hand(v *ctxflow.Verdict) string {
	if obj, method := v.HandVar(); obj != nil && method == "" {
		return obj.Name()
	}
	return "its context"
}

// nested names each layer with its attempts and its place.
func nested(v *ctxflow.Verdict) string {
	var layers []string
	for _, l := range v.Retry.Layers {
		layers = append(layers, fmt.Sprintf("%s tries %s (%s:%d)", l.Name, times(l), l.Position.Filename, l.Position.Line))
	}
	count := v.Retry.Steady.Factors.String() + " times"
	if factors, endless := strings.CutSuffix(v.Retry.Steady.Factors.String(), ", without end"); endless {
		count = factors + " times, without end,"
	}
	text := fmt.Sprintf("%s can be called %s for one call of %s: %s; retry in one of them only", v.Sink.Name, count, v.Retry.Layers[0].Name, strings.Join(layers, ", "))
	if all := v.Retry.Product.Total(); all != v.Retry.Steady.Factors.Total() {
		text += fmt.Sprintf(" (%s if errors alternate)", v.Retry.Product)
	}
	return text
}

func times(l ctxflow.RetryStep) string {
	text := l.Attempts.String() + " times"
	switch {
	case l.Attempts.IsUnbounded():
		text = "without end"
	case l.Attempts.IsUnknown():
		text = "a number of times that is not known"
	}
	if l.Through != "" {
		text += " through " + l.Through
	}
	return text
}

func witness(fset *token.FileSet, v *ctxflow.Verdict) []finding.Step {
	var steps []finding.Step
	for _, e := range v.Entries {
		if e != v.HomeName {
			steps = append(steps, finding.Step{Func: e, Note: "entry point"})
		}
	}
	if v.Code != finding.NestedRetry {
		steps = append(steps, finding.Step{Func: v.HomeName, Pos: fset.Position(v.Pos), Note: "retries"})
	}
	for _, l := range v.Retry.Layers {
		steps = append(steps, finding.Step{Func: l.Name, Pos: l.Position, Note: "tries " + times(l)})
	}
	return append(steps, finding.Step{Func: v.Sink.Name, Note: "is what is tried"})
}
