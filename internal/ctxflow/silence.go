package ctxflow

import (
	"go/token"
	"go/types"
	"strings"
	"unicode"

	"golang.org/x/tools/go/ssa"

	"github.com/ctxprop/ctxprop/internal/callee"
	"github.com/ctxprop/ctxprop/internal/finding"
	"github.com/ctxprop/ctxprop/internal/provenance"
)

// Rule names a reason to be silent.
type Rule string

// The rules of silence for fresh contexts. Each is one predicate below or one
// kind of edge, has look-alikes in the tests, and can be turned off alone.
const (
	RuleDefault   Rule = "default"        // the root only stands in for a missing context
	RuleValues    Rule = "values-copy"    // the root was given values of the context it replaces
	RuleAfterDone Rule = "after-done"     // the context at hand is already done here
	RuleRelease   Rule = "release"        // release-shaped work in a defer or on a failing path
	RuleOneStep   Rule = "one-step"       // a bounded step in a loop that leaves on its own context
	RuleResource  Rule = "resource"       // the result is kept for later callers
	RuleLinked    Rule = "linked-root"    // the root is cancelled by hand when the context at hand is
	RuleApart     Rule = "runs-apart"     // runs later or unawaited, so it is not the caller's own work
	RuleShared    Rule = "runs-shared"    // runs once on behalf of many callers
	RuleBlank     Rule = "blank-context"  // the function declares that it does not use its context
	RuleProcess   Rule = "process-root"   // a command starts the process's work, as main does
	RuleStartUp   Rule = "start-up"       // start-up, migration and tear-down, with no request in sight
	RuleLocalWait Rule = "local-wait"     // only a wait of the program's own parts for each other, with no request in sight
	RuleTwin      Rule = "context-twin"   // a sibling takes a context; callers choose
	RuleGenerated Rule = "generated-file" // nobody edits it
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
		return e.inTest(p.site.instr.Pos()) || p.in.helpsTests() || e.helpsTests()
	}},
	{RuleGenerated, func(e *engine, p *passage) bool { return e.inGenerated(p.site.instr.Pos()) }},
	{RuleDefault, func(e *engine, p *passage) bool { return p.o.Maybe }},
	{RuleValues, func(e *engine, p *passage) bool { return p.o.Values }},
	{RuleAfterDone, (*engine).afterDone},
	{RuleRelease, (*engine).releases},
	{RuleOneStep, (*engine).oneStep},
	{RuleResource, (*engine).keepsResult},
	{RuleLinked, (*engine).linked},
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

// helpsTests reports whether the package is support for tests: one of its
// files that is no test imports testing.
func (e *engine) helpsTests() bool {
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

// afterDone: the work happens where the context at hand has ended, for it is
// dominated by a receive from Done, by the Done case of a select, or by a
// test that Err is not nil; or the function has waited for a signal to stop.
// Shutdown cannot use a context that is done.
func (e *engine) afterDone(p *passage) bool {
	var at ssa.Instruction = p.site.instr
	for f := p.in; f != nil; f = f.parent {
		if e.doneBefore(at) {
			return true
		}
		mc := madeAt(f)
		if mc == nil {
			return false
		}
		at = mc.(ssa.Instruction)
	}
	return false
}

func (e *engine) doneBefore(at ssa.Instruction) bool {
	for _, instr := range at.Block().Instrs {
		if instr == at {
			break
		}
		if e.waitsForEnd(instr) {
			return true
		}
	}
	for b := at.Block(); b != nil; b = b.Idom() {
		if b != at.Block() {
			for _, instr := range b.Instrs {
				if e.waitsForEnd(instr) || selectsEnd(instr, at.Block()) {
					return true
				}
			}
		}
		if len(b.Preds) == 1 && saysDone(b.Preds[0], b) {
			return true
		}
	}
	return false
}

// waitsForEnd matches <-ctx.Done() and a receive from a channel of signals.
func (e *engine) waitsForEnd(instr ssa.Instruction) bool {
	u, ok := instr.(*ssa.UnOp)
	return ok && u.Op == token.ARROW && endChannel(u.X)
}

func endChannel(ch ssa.Value) bool {
	if doneOf(ch) != nil {
		return true
	}
	c, ok := ch.Type().Underlying().(*types.Chan)
	if !ok {
		return false
	}
	n, ok := types.Unalias(c.Elem()).(*types.Named)
	return ok && n.Obj().Name() == "Signal" && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "os"
}

// selectsEnd reports whether instr is a blocking select with a Done case from
// which control can come to the block, without the select running again: some
// way to the block then has a context that is done.
func selectsEnd(instr ssa.Instruction, to *ssa.BasicBlock) bool {
	s, ok := instr.(*ssa.Select)
	if !ok || !s.Blocking {
		return false
	}
	for i, st := range s.States {
		if st.Dir == types.RecvOnly && endChannel(st.Chan) {
			if b := caseBlock(s, i); b != nil && reaches(b, to, s.Block()) {
				return true
			}
		}
	}
	return false
}

// caseBlock is where control goes when the i-th case of the select is taken.
func caseBlock(s *ssa.Select, i int) *ssa.BasicBlock {
	for _, ref := range *s.Referrers() {
		index, ok := ref.(*ssa.Extract)
		if !ok || index.Index != 0 {
			continue
		}
		for _, use := range *index.Referrers() {
			cmp, ok := use.(*ssa.BinOp)
			if !ok || !isIndex(cmp.Y, i) {
				continue
			}
			if branch, ok := cmp.Block().Instrs[len(cmp.Block().Instrs)-1].(*ssa.If); ok && branch.Cond == cmp {
				return cmp.Block().Succs[0]
			}
		}
	}
	return nil
}

func isIndex(v ssa.Value, i int) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.Value != nil && c.Int64() == int64(i)
}

// reaches reports whether control can go from one block to another without
// passing the block to avoid.
func reaches(from, to, avoid *ssa.BasicBlock) bool {
	seen := map[*ssa.BasicBlock]bool{avoid: true}
	work := []*ssa.BasicBlock{from}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if b == to {
			return true
		}
		if !seen[b] {
			seen[b] = true
			work = append(work, b.Succs...)
		}
	}
	return false
}

// saysDone reports whether the branch from b to succ is taken when a context
// was found to be done: ctx.Err() != nil, or the Done case of a select.
func saysDone(b, succ *ssa.BasicBlock) bool {
	branch, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
	if !ok {
		return false
	}
	cmp, ok := branch.Cond.(*ssa.BinOp)
	if !ok {
		return false
	}
	taken := b.Succs[0] == succ
	if contextMethod(cmp.X, "Err") != nil && isNil(cmp.Y) {
		return taken == (cmp.Op == token.NEQ)
	}
	index, ok := cmp.X.(*ssa.Extract)
	if !ok || index.Index != 0 || !taken {
		return false
	}
	s, ok := index.Tuple.(*ssa.Select)
	if !ok {
		return false
	}
	for i, st := range s.States {
		if isIndex(cmp.Y, i) && endChannel(st.Chan) {
			return true
		}
	}
	return false
}

func isNil(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.IsNil()
}

// madeAt is the instruction that makes the closure f, or nil.
func madeAt(f *function) ssa.Value {
	if f.parent == nil || f.ssa.Referrers() == nil {
		return nil
	}
	for _, ref := range *f.ssa.Referrers() {
		if mc, ok := ref.(*ssa.MakeClosure); ok {
			return mc
		}
	}
	return nil
}

// oneStep: a step with its own deadline, in a loop that leaves on the context
// at hand on every round. It stops between steps and never inside one.
func (e *engine) oneStep(p *passage) bool {
	if !p.o.Bounded {
		return false
	}
	at := p.site.instr.Block()
	loop := loopAround(at)
	for b := range loop {
		if leavesWhenDone(b, loop) && !roundWithout(at, b, loop) {
			return true
		}
	}
	return false
}

// leavesWhenDone reports whether the loop is left from the block when a
// context is done: by a test of Err, or by the Done case of a select.
func leavesWhenDone(b *ssa.BasicBlock, loop map[*ssa.BasicBlock]bool) bool {
	for _, succ := range b.Succs {
		if !loop[succ] && saysDone(b, succ) {
			return true
		}
	}
	for _, instr := range b.Instrs {
		s, ok := instr.(*ssa.Select)
		if !ok {
			continue
		}
		for i, st := range s.States {
			if endChannel(st.Chan) {
				if to := caseBlock(s, i); to != nil && !loop[to] {
					return true
				}
			}
		}
	}
	return false
}

// roundWithout reports whether control can come from at back to at inside the
// loop without passing the block that looks at the context.
func roundWithout(at, look *ssa.BasicBlock, loop map[*ssa.BasicBlock]bool) bool {
	if at == look {
		return false
	}
	around := closure(at, func(b *ssa.BasicBlock) []*ssa.BasicBlock {
		var next []*ssa.BasicBlock
		for _, succ := range b.Succs {
			if loop[succ] && succ != look {
				next = append(next, succ)
			}
		}
		return next
	})
	return around[at]
}

// loopAround is the set of blocks that can reach b and be reached from it, or nil.
func loopAround(b *ssa.BasicBlock) map[*ssa.BasicBlock]bool {
	forward := closure(b, func(b *ssa.BasicBlock) []*ssa.BasicBlock { return b.Succs })
	if !forward[b] {
		return nil
	}
	backward := closure(b, func(b *ssa.BasicBlock) []*ssa.BasicBlock { return b.Preds })
	for x := range forward {
		if !backward[x] {
			delete(forward, x)
		}
	}
	return forward
}

// closure is what can be reached from b in one step or more.
func closure(b *ssa.BasicBlock, next func(*ssa.BasicBlock) []*ssa.BasicBlock) map[*ssa.BasicBlock]bool {
	seen := map[*ssa.BasicBlock]bool{}
	work := append([]*ssa.BasicBlock(nil), next(b)...)
	for len(work) > 0 {
		x := work[len(work)-1]
		work = work[:len(work)-1]
		if !seen[x] {
			seen[x] = true
			work = append(work, next(x)...)
		}
	}
	return seen
}

// unheeded returns the rule by which the contexts at hand oblige to nothing.
// closing says that the loss is in a function called from here.
//
// A parameter without a name declares that an implementation does not use its
// context; only a request's handler must. A command line's entry point is a
// root of the process like main: what it starts may have a root of its own,
// and in itself its context counts only if the package uses it somewhere, for
// a command's context cancels only in programs that have provided one.
func (e *engine) unheeded(g finding.Grade, hand []carrier, closing bool) (Rule, bool) {
	if g != finding.GradeContract {
		return "", false
	}
	if allBlank(hand) && !e.cfg.without[RuleBlank] {
		return RuleBlank, true
	}
	if e.isCommand(hand[0]) && !e.cfg.without[RuleProcess] && (closing || !e.usesProvider(hand[0])) {
		return RuleProcess, true
	}
	return "", false
}

// isCommand reports whether a provider is that of a root of grade C, such as
// a *cobra.Command.
func (e *engine) isCommand(c carrier) bool {
	n := callee.Named(c.v.Type())
	if n == nil || c.isContext() {
		return false
	}
	for _, r := range e.catalog.Roots() {
		if r.Grade != finding.GradeContract {
			continue
		}
		for _, t := range r.Types() {
			if t.Is(n.Obj()) {
				return true
			}
		}
	}
	return false
}

// StartUp reports whether a chain of function names, without a request in
// sight, belongs to the start or the end of a process: a constructor, a
// migration, a server's own Run. Their contexts bound the process, not a call.
func StartUp(names ...string) bool {
	for _, name := range names {
		if strings.HasPrefix(name, closureOf) {
			continue
		}
		name = name[strings.LastIndexByte(name, '.')+1:]
		for _, verb := range startUpVerbs {
			if hasVerb(name, verb) {
				return true
			}
		}
	}
	return false
}

var startUpVerbs = []string{
	"Bootstrap", "Close", "Configure", "Connect", "Dial", "Init", "Initialize", "Main", "Migrate", "Must", "New",
	"Open", "Provision", "Register", "Run", "Serve", "Setup", "Shutdown", "Start", "Stop",
}

// usesProvider reports whether the package asks any value of the provider's
// type for its context.
func (e *engine) usesProvider(c carrier) bool {
	for _, f := range e.funcs {
		for _, cs := range f.calls {
			for _, t := range cs.targets {
				if t.Obj != nil && provenance.IsContextMethod(t.Obj) && len(t.Args) == 1 && types.Identical(t.Args[0].Type(), c.v.Type()) {
					return true
				}
			}
		}
	}
	return false
}

// allBlank reports whether every context at hand is declared as unused.
func allBlank(hand []carrier) bool {
	for _, c := range hand {
		if !c.blank() {
			return false
		}
	}
	return len(hand) > 0
}

// hasTwin reports whether a sibling of fn, a method of the same type or a
// function of the same package, takes a context: Get beside GetContext.
func hasTwin(fn *types.Func) bool {
	for _, suffix := range []string{"Context", "WithContext", "Ctx"} {
		if twin := sibling(fn, fn.Name()+suffix); twin != nil && takesContext(twin.Signature()) {
			return true
		}
	}
	return false
}

func sibling(fn *types.Func, name string) *types.Func {
	if recv := fn.Signature().Recv(); recv != nil {
		obj, _, _ := types.LookupFieldOrMethod(recv.Type(), true, fn.Pkg(), name)
		m, _ := obj.(*types.Func)
		return m
	}
	m, _ := fn.Pkg().Scope().Lookup(name).(*types.Func)
	return m
}

func takesContext(sig *types.Signature) bool {
	for i := range sig.Params().Len() {
		if provenance.IsContext(sig.Params().At(i).Type()) {
			return true
		}
	}
	return false
}

// writes reports whether a function changes state, by the verb its name
// begins with: used only to withhold fixes, never to report.
func writes(name string) bool {
	name = name[strings.LastIndexByte(name, '.')+1:]
	for _, verb := range []string{"Add", "Append", "Commit", "Create", "Delete", "Drop", "Enqueue", "Exec", "Insert", "Mark", "Merge", "Patch", "Post", "Publish", "Push", "Put", "Record", "Remove", "Replace", "Reset", "Save", "Send", "Set", "Store", "Submit", "Update", "Upsert", "Write"} {
		if hasVerb(name, verb) {
			return true
		}
	}
	return false
}

// hasVerb reports whether a name in mixed caps begins with the verb.
func hasVerb(name, verb string) bool {
	return len(name) >= len(verb) && strings.EqualFold(name[:len(verb)], verb) &&
		(len(name) == len(verb) || !unicode.IsLower(rune(name[len(verb)])))
}
