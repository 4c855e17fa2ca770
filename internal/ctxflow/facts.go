package ctxflow

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ctxprop/ctxprop/internal/finding"
	"github.com/ctxprop/ctxprop/internal/provenance"
)

// Fact is the summary of a function as other packages see it. It exists only
// where the function differs from what its signature and the catalog say, and
// a missing one means what the signature says. Indices count the receiver.
type Fact struct {
	// Quiet: the function has the shape of one that blocks on its context,
	// and provably does not.
	Quiet bool
	// Blocks lists context parameters that reach blocking work although the
	// signature does not say so.
	Blocks []ParamSink
	// Ignores lists the parameters that are or provide a context and that
	// neither the function nor what it calls ever asks.
	Ignores []int
	// Results says where returned contexts come from, where that is not
	// simply the context that was passed in.
	Results []ResultFact
	// Calls lists function parameters that are called before the function
	// returns or are awaited.
	Calls []int
	// Open lists losses inside the function and below it that a caller with
	// a context at hand closes.
	Open []OpenLoss
	// Retries lists paths with layers of retries, and to function parameters.
	Retries []RetryPath
	// Dials holds the retries in the options of the clients that the function
	// makes, or in the options and interceptors that it returns.
	Dials []Dial
	// Method is the full method that a stub's method calls, where no constant
	// beside it says so.
	Method string
	// Declared holds the lines of the catalog that directives at the
	// function's declaration make.
	Declared []string
}

// AFact marks Fact as a fact.
func (*Fact) AFact() {}

// ParamSink says that a parameter's context reaches the sink.
type ParamSink struct {
	Param int
	Sink  Sink
}

// Sink is a function that blocks.
type Sink struct {
	Key   string // as types.Func.FullName prints it
	Name  string // for messages
	Class string // rpc, sql, http, …; "" if known by shape only
	Write bool   // changes state
	Known bool   // by the catalog or a summary, not by shape alone
	Local bool   // only a wait for ctx.Done(), next to whatever else ends it
}

// ResultFact is a provenance.ResultOrigin of one result.
type ResultFact struct {
	Result     int
	Kind       uint8
	Param      int
	Root       string
	Bounded    bool
	Values     bool
	Maybe      bool
	HadContext bool
}

// OpenLoss is a root made for blocking work, or work that no context can end,
// in a function that had no context at hand.
type OpenLoss struct {
	Code    finding.Code
	Home    string // key of the function
	Name    string // the function's name for messages, with its package
	File    string // dir/file.go
	Line    int
	Root    string
	Use     string // what takes a context in the sink's place, if anything does
	Weak    bool   // see Verdict.Weak
	Sink    Sink   // the first of them
	More    int    // further roots in the same home, which have the same cause
	Bounded bool
	Owned   bool     // when it ends is somebody's business: it has a cancel function, or a worker does it
	Kept    bool     // the cancel function of each root is kept by somebody who can end the work
	Chain   []string // names from the exported function down to the home
}

func (f *Fact) String() string {
	var parts []string
	if f.Quiet {
		parts = append(parts, "quiet")
	}
	for _, b := range f.Blocks {
		parts = append(parts, fmt.Sprintf("blocks(%d: %s)", b.Param, b.Sink.Name))
	}
	for _, i := range f.Ignores {
		parts = append(parts, fmt.Sprintf("ignores(%d)", i))
	}
	for _, r := range f.Results {
		parts = append(parts, r.String())
	}
	for _, c := range f.Calls {
		parts = append(parts, fmt.Sprintf("calls(%d)", c))
	}
	for _, o := range f.Open {
		verb := "open"
		if o.Code != finding.SeveredCallee {
			verb = "endless"
		}
		parts = append(parts, fmt.Sprintf("%s(%s: %s)", verb, strings.Join(o.Chain, " > "), o.Sink.Name))
	}
	for _, line := range f.Declared {
		parts = append(parts, fmt.Sprintf("declared(%s)", line))
	}
	for _, p := range f.Retries {
		parts = append(parts, p.String())
	}
	if len(f.Dials) > 0 {
		parts = append(parts, fmt.Sprintf("dials(%d)", len(f.Dials)))
	}
	if f.Method != "" {
		parts = append(parts, "calls("+f.Method+")")
	}
	return strings.Join(parts, " ")
}

func (f *Fact) empty() bool {
	return !f.Quiet && len(f.Blocks) == 0 && len(f.Ignores) == 0 && len(f.Results) == 0 && len(f.Calls) == 0 && len(f.Open) == 0 && len(f.Retries) == 0 && len(f.Dials) == 0 && f.Method == ""
}

func (r ResultFact) String() string {
	s := fmt.Sprintf("returns(%d: %s", r.Result, provenance.Kind(r.Kind))
	if provenance.Kind(r.Kind) == provenance.Param {
		s += fmt.Sprintf(" %d", r.Param)
	}
	if r.Maybe {
		s += " maybe"
	}
	return s + ")"
}

func (r ResultFact) origin() provenance.ResultOrigin {
	return provenance.ResultOrigin{Kind: provenance.Kind(r.Kind), Param: r.Param, Root: r.Root, Bounded: r.Bounded, Values: r.Values, Maybe: r.Maybe, HadContext: r.HadContext}
}

// compareResults orders origins so that summaries do not depend on the order
// of evaluation.
func compareResults(a, b provenance.ResultOrigin) int {
	return cmp.Or(
		cmp.Compare(a.Kind, b.Kind),
		cmp.Compare(a.Param, b.Param),
		cmp.Compare(a.Root, b.Root),
		compareBool(a.Bounded, b.Bounded),
		compareBool(a.Values, b.Values),
		compareBool(a.Maybe, b.Maybe),
		compareBool(a.Deaf, b.Deaf),
	)
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// factOf is the part of f's summary that its signature does not say, or nil.
func (e *engine) factOf(f *function) *Fact {
	fact := &Fact{Ignores: e.ignores(f), Retries: retryFacts(f), Dials: e.dialFacts(f), Open: openFacts(f)}
	params := f.ssa.Params
	shift := 0
	if f.ssa.Signature.Recv() != nil {
		shift = 1
	}
	if blockingShape(f.ssa.Signature) {
		_, blocks := f.blocks[paramKey{f.ssa, shift}]
		fact.Quiet = !blocks
	}
	for i := range params {
		sink, ok := f.blocks[paramKey{f.ssa, i}]
		if ok && !(i == shift && blockingShape(f.ssa.Signature)) {
			fact.Blocks = append(fact.Blocks, ParamSink{i, sink})
		}
		if f.callsParam[i] >= runsAwaited {
			fact.Calls = append(fact.Calls, i)
		}
	}
	for result, ros := range f.results {
		if e.defaultResult(f, ros) {
			continue
		}
		for _, ro := range ros {
			fact.Results = append(fact.Results, ResultFact{result, uint8(ro.Kind), ro.Param, ro.Root, ro.Bounded, ro.Values, ro.Maybe, ro.HadContext})
		}
	}
	slices.SortStableFunc(fact.Results, func(a, b ResultFact) int { return cmp.Compare(a.Result, b.Result) })
	if fact.empty() {
		return nil
	}
	return fact
}

// defaultResult reports whether the origins are what a caller assumes anyway:
// the one context, or else the one provider, that the function takes.
func (e *engine) defaultResult(f *function, ros []provenance.ResultOrigin) bool {
	if len(ros) != 1 || ros[0].Kind != provenance.Param || ros[0].Bounded {
		return false
	}
	contexts := 0
	for _, c := range f.carriers {
		if c.isContext() {
			contexts++
		}
	}
	if contexts > 0 {
		return contexts == 1 && provenance.IsContext(f.ssa.Params[ros[0].Param].Type())
	}
	return len(f.carriers) == 1 && f.carriers[0].index == ros[0].Param
}

// exportFacts leaves the summaries of declared functions to importing packages.
func (e *engine) exportFacts() {
	for _, f := range e.funcs {
		if f.obj == nil || f.obj.Pkg() != e.pass.Pkg || f.named != f || e.inTest(f.pos()) {
			continue
		}
		if fact := e.factOf(f); fact != nil {
			e.pass.ExportObjectFact(f.obj.Origin(), fact)
		}
	}
	e.exportStubs()
}
