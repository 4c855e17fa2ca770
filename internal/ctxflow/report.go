package ctxflow

import (
	"fmt"
	"go/token"
	"slices"
	"strings"

	"github.com/ctxprop/ctxprop/internal/finding"
)

// Finding makes a finding, without a fix, of a verdict that an analyzer has
// worded.
func (v *Verdict) Finding(fset *token.FileSet, message string) *finding.Finding {
	severity := finding.SeverityAt(v.Code, v.Grade)
	if v.Weak {
		severity = finding.Info
	}
	return &finding.Finding{
		ID: v.ID(), Grade: v.Grade, Severity: severity,
		Pos: v.Pos, End: v.End,
		Position: fset.Position(v.Pos), EndPosition: fset.Position(v.End),
		Message: fmt.Sprintf("%s (%s)", message, v.Code),
		Entries: v.Entries,
		Witness: v.witness(fset),
	}
}

// HandExpr is how the source spells the context at hand, or "".
func (v *Verdict) HandExpr() string {
	obj, method := v.HandVar()
	switch {
	case obj == nil:
		return ""
	case method != "":
		return obj.Name() + "." + method + "()"
	}
	return obj.Name()
}

// Behalf names whose deadline is lost.
func (v *Verdict) Behalf() string {
	if v.Grade == finding.GradeRequest {
		if len(v.Entries) == 0 || slices.Contains(v.Entries, v.HomeName) {
			return "the request's deadline"
		}
		return "the deadline of the request in " + v.Entries[0]
	}
	return "the caller's deadline"
}

// Sinks names the first blocking call of an open loss, and how many more have
// the same cause.
func (v *Verdict) Sinks() string {
	if v.Open.More == 0 {
		return v.Sink.Name
	}
	return fmt.Sprintf("%s (and %d more)", v.Sink.Name, v.Open.More)
}

// ShortHome is the name of the home function alone.
func (v *Verdict) ShortHome() string {
	return v.HomeName[strings.LastIndexByte(v.HomeName, '.')+1:]
}

// maxUses bounds the places that a finding on an engine lists: it is mended where
// the engine is made.
const maxUses = 20

// witness is the path from an entry point to the sink.
func (v *Verdict) witness(fset *token.FileSet) []finding.Step {
	var steps []finding.Step
	if v.Uses != nil {
		steps = append(steps, finding.Step{Func: v.HomeName, Pos: fset.Position(v.Pos), Note: v.Root})
		for _, u := range v.Uses[:min(len(v.Uses), maxUses)] {
			steps = append(steps, finding.Step{Func: u.HomeName, Pos: fset.Position(u.SinkPos), Note: "hands " + u.Root + " on to " + u.Sink.Name})
		}
		return steps
	}
	for _, e := range v.Entries {
		if e != v.HomeName {
			steps = append(steps, finding.Step{Func: e, Note: "entry point"})
		}
	}
	for _, c := range v.Closers {
		note := "has a context and calls " + strings.Join(c.Chain, ", which calls ")
		steps = append(steps, finding.Step{Func: c.Name, Pos: fset.Position(c.Pos), Note: note})
	}
	home := finding.Step{Func: v.HomeName, Note: v.Root}
	if v.HomeName == "" {
		home.Func = v.Open.Name
		home.Note = strings.TrimSpace(fmt.Sprintf("%s at %s:%d", v.Open.Root, v.Open.File, v.Open.Line))
	} else {
		home.Pos = fset.Position(v.Pos)
	}
	steps = append(steps, home)
	if v.Sink.Name != "" {
		s := finding.Step{Func: v.Sink.Name, Note: "blocks"}
		if v.SinkPos.IsValid() {
			s.Pos = fset.Position(v.SinkPos)
		}
		steps = append(steps, s)
	}
	for _, pos := range v.More {
		steps = append(steps, finding.Step{Func: home.Func, Pos: fset.Position(pos), Note: "another, with the same cause"})
	}
	return steps
}
