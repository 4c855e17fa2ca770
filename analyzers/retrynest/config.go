package retrynest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/ctxprop/ctxprop/internal/callee"
	"github.com/ctxprop/ctxprop/internal/ctxflow"
	"github.com/ctxprop/ctxprop/internal/dialopt"
	"github.com/ctxprop/ctxprop/internal/finding"
	"github.com/ctxprop/ctxprop/internal/retry"
)

// This file reports what is wrong with gRPC service configs in Go code, and
// with the options beside them.

func configs(pass *analysis.Pass, flow *ctxflow.Result) []*finding.Finding {
	options := dialopt.Find(pass)
	r := &configReporter{pass: pass, allows: flow.Directives, seen: map[seenAt]bool{}}
	for _, c := range options.Configs {
		if only := flow.CalledOn[c.Call.Lparen]; only != nil && !c.Partial() {
			client := c.Client
			client.Only = only
			c.Parsed = retry.ParseServiceConfig(c.String(), client)
		}
		for _, p := range c.Parsed.Problems {
			r.problem(c, p)
		}
		r.overruled(c)
	}
	for _, o := range options.Limits {
		r.limit(o)
	}
	return r.numbered()
}

// configReporter gathers the findings of one package.
type configReporter struct {
	pass   *analysis.Pass
	allows *finding.Directives
	found  []*finding.Finding
	seen   map[seenAt]bool
}

// seenAt is a place and what is said there: one text may be given to several
// clients.
type seenAt struct {
	pos     token.Pos
	message string
}

// problem reports a problem of a text: in the literal that has it, or, for an
// embedded file, at the variable that holds it, for drivers know the package's
// Go files only.
func (r *configReporter) problem(c *dialopt.Config, p retry.Problem) {
	pos, end := c.Range(p.Start, p.End)
	if r.inTest(pos) && !json.Valid([]byte(c.String())) {
		return // a test of what happens then
	}
	text := p.Message
	if c.File != "" {
		text = fmt.Sprintf("%s: %s", c.Place(p.Start), text)
	}
	f := r.add(p.Code, p.Severity, pos, end, c.Sink, c.In, c.Call, "%s's service config: %s", owner(c.In), text)
	if f == nil {
		return
	}
	if edits, ok := c.Edits(p.Edits); ok {
		f.Fixes = []analysis.SuggestedFix{{Message: p.Fix, TextEdits: edits}}
	}
}

// overruled reports a config whose policies another option turns off.
func (r *configReporter) overruled(c *dialopt.Config) {
	if c.DisableRetry != nil && len(c.Parsed.Services()) > 0 {
		r.add(finding.IneffectivePolicy, finding.Warning, c.DisableRetry.Pos(), c.DisableRetry.End(), c.Sink, c.In, c.Call,
			"%s's service config: grpc.WithDisableRetry turns its retryPolicy off: drop the one or the other", owner(c.In))
	}
	if c.Replaced != nil {
		r.add(finding.IneffectivePolicy, finding.Warning, c.Call.Pos(), c.Call.End(), c.Sink, c.In, c.Call,
			"%s's service config: the client never sees it, for another one after it, in line %d, replaces it as a whole: drop the one or the other",
			owner(c.In), r.pass.Fset.Position(c.Replaced.Pos()).Line)
	}
}

// limit reports grpc.WithMaxCallAttempts with a number that it does not take.
func (r *configReporter) limit(o dialopt.Option) {
	if o.N >= 2 {
		return
	}
	fn := r.callee(o.Call)
	f := r.add(finding.KnobTrap, finding.Warning, o.Call.Pos(), o.Call.End(), fn, o.In, o.Call,
		"grpc.WithMaxCallAttempts(%d) does not turn retries off, for less than 2 means the default, %d: use grpc.WithDisableRetry", o.N, retry.DefaultMaxCallAttempts)
	if sel, ok := ast.Unparen(o.Call.Fun).(*ast.SelectorExpr); f != nil && ok && o.N == 1 {
		f.Fixes = []analysis.SuggestedFix{{
			Message:   "Turn retries off",
			TextEdits: []analysis.TextEdit{{Pos: sel.Sel.Pos(), End: o.Call.End(), NewText: []byte("WithDisableRetry()")}},
		}}
	}
}

func (r *configReporter) callee(call *ast.CallExpr) *types.Func {
	sel, _ := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if sel == nil {
		return nil
	}
	fn, _ := r.pass.TypesInfo.Uses[sel.Sel].(*types.Func)
	return fn
}

// owner is how messages call what builds the client.
func owner(in *types.Func) string {
	if in == nil {
		return "a package variable"
	}
	return callee.ShortName(in)
}

// inTests are the codes that are reported in test files: what is wrong there
// keeps a test from testing.
var inTests = []finding.Code{finding.IneffectivePolicy, finding.InvalidPolicy, finding.KnobTrap}

// add makes a finding, unless there is a reason to say nothing.
func (r *configReporter) add(code finding.Code, severity finding.Severity, pos, end token.Pos, sink *types.Func, in *types.Func, call *ast.CallExpr, format string, args ...any) *finding.Finding {
	message := fmt.Sprintf(format, args...)
	if r.seen[seenAt{pos, message}] {
		return nil
	}
	r.seen[seenAt{pos, message}] = true
	fset := r.pass.Fset
	if (r.inTest(pos) || r.inTest(call.Pos())) && !slices.Contains(inTests, code) {
		return nil
	}
	// Both are asked, so that both count as used.
	here, there := r.allows.Allowed(pos, code), r.allows.Allowed(call.Pos(), code)
	if here || there {
		return nil
	}
	f := &finding.Finding{
		ID:    finding.Identity{Code: code, Home: r.home(in)},
		Grade: finding.GradeRequest, Severity: severity,
		Pos: pos, End: end,
		Position: fset.Position(pos), EndPosition: fset.Position(end),
		Message: fmt.Sprintf("%s (%s)", message, code),
	}
	if sink != nil {
		f.ID.Sink = sink.FullName()
		f.Witness = []finding.Step{{Func: callee.ShortName(sink), Pos: fset.Position(call.Pos()), Note: "takes it"}}
	}
	r.found = append(r.found, f)
	return f
}

func (r *configReporter) inTest(pos token.Pos) bool {
	return strings.HasSuffix(r.pass.Fset.Position(pos).Filename, "_test.go")
}

// home is the part of an identity that says where the client is built.
func (r *configReporter) home(in *types.Func) string {
	if in == nil {
		return r.pass.Pkg.Path() + ".init"
	}
	return in.FullName()
}

// numbered returns the findings in source order, with their ordinals.
func (r *configReporter) numbered() []*finding.Finding {
	slices.SortStableFunc(r.found, func(a, b *finding.Finding) int { return cmp.Compare(a.Pos, b.Pos) })
	next := map[finding.Identity]int{}
	for _, f := range r.found {
		id := f.ID
		f.ID.Ordinal = next[id]
		next[id]++
	}
	return r.found
}
