package ctxflow

import (
	"github.com/ctxprop/ctxprop/internal/callee"
	"github.com/ctxprop/ctxprop/internal/provenance"
)

// Rule names a reason to be silent.
type Rule string

// The rules of silence for fresh contexts and for work without one. Each is one predicate below or one
// kind of edge, has look-alikes in the tests, and can be turned off alone.
const (
	RuleDefault   Rule = "default"        // the root only stands in for a missing context
	RuleValues    Rule = "values-copy"    // the root was given values of the context it replaces
	RuleAfterDone Rule = "after-done"     // the context at hand is already done here
	RuleRelease   Rule = "release"        // release-shaped work in a defer or on a failing path
	RuleOneStep   Rule = "one-step"       // a bounded step in a loop that leaves on its own context
	RuleResource  Rule = "resource"       // the result is kept for later callers
	RuleLinked    Rule = "linked-root"    // the root is cancelled by hand when the context at hand is
	RuleEnded     Rule = "ended-by-defer" // a goroutine that the function's own defers first cancel and then wait for
	RuleApart     Rule = "runs-apart"     // runs later or unawaited, so it is not the caller's own work
	RuleShared    Rule = "runs-shared"    // runs once on behalf of many callers
	RuleBlank     Rule = "blank-context"  // the function declares that it does not use its context
	RuleProcess   Rule = "process-root"   // a command starts the process's work, as main does
	RuleUnset     Rule = "unset-context"  // the framework's context is a root unless the program sets one, and the package never asks for it
	RuleStartUp   Rule = "start-up"       // start-up, migration and tear-down, with no request in sight
	RuleOwned     Rule = "owned-root"     // its cancel function is kept, so another owner ends the work, with no request in sight
	RuleLocalWait Rule = "local-wait"     // only a wait of the program's own parts for each other, with no request in sight
	RuleTwin      Rule = "context-twin"   // a sibling takes a context; callers choose
	RuleShort     Rule = "short-wait"     // shorter than any deadline
	RuleJoined    Rule = "joined-wait"    // the other side is a closure or goroutine made here
	RuleToldToEnd Rule = "told-to-end"    // the other side has been told to come to an end
	RuleSlot      Rule = "slot-returned"  // gives back what an opposite operation has taken
	RuleReply     Rule = "reply-buffer"   // a reply, into a buffer of its own
	RuleQuit      Rule = "quit-channel"   // the end of something else ends the select, and no request is in sight
	RuleGenerated Rule = "generated-file" // nobody edits it
	RuleDeclared  Rule = "declared-quiet" // a directive or a line says that the function waits on nobody's behalf
	RuleTest      Rule = "test-file"      // a test is the root of its own calls
)

// siteRule is a predicate over one place where a root meets blocking work, or
// where a chain passes a function that makes one.
type siteRule struct {
	rule  Rule
	holds func(e *engine, p *passage) bool
}

// passage is a place that a loss passes: the sink's call in the home, or the
// call of the home or of a function above it.
type passage struct {
	in   *function
	site *callsite
	mode mode
	o    provenance.Origin // of the fresh context, where it is known
}

var siteRules = []siteRule{
	{RuleTest, func(e *engine, p *passage) bool {
		return e.inTest(p.site.instr.Pos()) || p.in.helpsTests() || e.testSupport
	}},
	{RuleGenerated, func(e *engine, p *passage) bool { return e.inGenerated(p.site.instr.Pos()) }},
	{RuleDeclared, func(e *engine, p *passage) bool { return e.keepsToItself(p.in) }},
	{RuleDefault, func(e *engine, p *passage) bool { return p.o.Maybe }},
	{RuleValues, func(e *engine, p *passage) bool { return p.o.Values }},
	{RuleAfterDone, (*engine).afterDone},
	{RuleRelease, (*engine).releases},
	{RuleOneStep, (*engine).oneStep},
	{RuleResource, (*engine).keepsResult},
	{RuleLinked, (*engine).linked},
	{RuleEnded, (*engine).endedByDefer},
}

// silent returns the first rule of silence that holds.
func (e *engine) silent(p *passage) (Rule, bool) {
	for _, r := range siteRules {
		if !e.cfg.without[r.rule] && r.holds(e, p) {
			return r.rule, true
		}
	}
	return "", false
}

// helpsTests reports whether the function takes a *testing.T or the like: a
// helper of tests, in whatever file it stands.
func (f *function) helpsTests() bool {
	for ; f != nil; f = f.parent {
		for _, p := range f.ssa.Params {
			if n := callee.Named(p.Type()); n != nil && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "testing" {
				return true
			}
		}
	}
	return false
}

// supportsTests reports whether the package is there for tests: one of its
// files that is no test imports testing.
func (e *engine) supportsTests() bool {
	for _, f := range e.pass.Files {
		if e.inTest(f.FileStart) {
			continue
		}
		for _, imp := range f.Imports {
			if imp.Path.Value == `"testing"` {
				return true
			}
		}
	}
	return false
}
