package ctxflow

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/ctxprop/ctxprop/internal/callee"
	"github.com/ctxprop/ctxprop/internal/catalog"
	"github.com/ctxprop/ctxprop/internal/dialopt"
	"github.com/ctxprop/ctxprop/internal/errflow"
	"github.com/ctxprop/ctxprop/internal/finding"
	"github.com/ctxprop/ctxprop/internal/loops"
	"github.com/ctxprop/ctxprop/internal/provenance"
	"github.com/ctxprop/ctxprop/internal/request"
	"github.com/ctxprop/ctxprop/internal/retry"
)

// Result is what one package's analysis leaves: no SSA, only verdicts, and
// what the command needs to join packages and to explain itself.
type Result struct {
	Verdicts   []*Verdict
	Sites      []*Site
	Directives *finding.Directives
	// CalledOn lists, by the parenthesis of the call that takes a service config,
	// the services that are called on the client's connection, where all are known.
	CalledOn  map[token.Pos][]string
	Graph     *Graph
	Unknown   []string // functions over the size cap
	Functions int      // how many were summarised
	Threshold int      // see Config
}

// Verdict is one finding of ctxflow, for an analyzer to word.
type Verdict struct {
	Code     finding.Code
	Grade    finding.Grade
	Pos, End token.Pos
	Home     string // key of the home function
	HomeName string
	Node     string // key of the home's node in the graph
	Sink     Sink
	Ordinal  int
	Root     string // how the source spells the root
	Bounded  bool   // the root was given a deadline of its own
	Entries  []string
	// Use is what takes a context in the sink's place, if anything does.
	Use string
	// Weak says that the evidence is a likeness only: info at any grade.
	Weak bool

	// For losses whose home has a context at hand.
	hand     *types.Var // what is or provides the context at hand; nil if it has no name
	asks     string     // the method by which it is asked for the context, or ""
	RootCall token.Pos  // Lparen of the root's call, if it is in sight
	SinkPos  token.Pos
	// InGroup: the wrong context is the outer one in a member of an errgroup.
	InGroup  bool
	FixSafe  bool // replacing the root's call by the context at hand changes nothing else
	Returned bool // the root is returned, not used in the home

	// Retry is what a verdict on retries says besides; nil for others.
	Retry *Retry

	// Deaf is, for contexts that do not end with their requests, what the
	// catalog says of their type; else zero. Uses are the places that hand them
	// to blocking work, if the verdict is on the engine that makes them.
	Deaf catalog.Provider
	Uses []*Verdict

	// For severed callees.
	Local   bool   // the home is in this package
	Held    string // why the home must keep its context even if it is given one, or ""
	Open    OpenLoss
	More    []token.Pos // further roots in the same home, if it is in this package
	Closers []Closer
}

// Closer is a function with a context at hand that reaches a severed callee.
type Closer struct {
	Name, Key string
	Node      string // key of its node in the graph
	Pos       token.Pos
	Grade     finding.Grade
	Chain     []string
}

// HandVar is the variable that is or provides the context at hand, and the
// method that provides it, if any, with what comes before it: Context, or
// Request.Context. It is nil if none has a name.
func (v *Verdict) HandVar() (obj *types.Var, method string) { return v.hand, v.asks }

// setHand notes which of the contexts at hand to use. Only its variable is
// kept, for no SSA may outlive the package.
func (v *Verdict) setHand(hand []carrier) {
	if c := bestCarrier(hand); !c.blank() {
		v.hand, v.asks = c.v, c.method
	}
}

// ID is the finding's identity.
func (v *Verdict) ID() finding.Identity {
	return finding.Identity{Code: v.Code, Home: v.Home, Sink: v.Sink.Key, Ordinal: v.Ordinal}
}

func (v *Verdict) fill(e *engine, l *loss) {
	v.Node = l.home.nodeKey()
	v.Home, v.HomeName, v.Sink, v.Root, v.Bounded = l.home.key(), l.home.name(), l.sink, l.o.Root, l.o.Bounded
	if l.site != nil {
		v.SinkPos = l.site.instr.Pos()
	}
	if l.root != nil {
		v.RootCall = l.root.Pos()
		v.Pos, v.End = callRange(e.fileOf(l.pos), l.root.Pos())
	} else {
		v.Pos, v.End = callRange(e.fileOf(l.pos), l.pos)
	}
	v.AddEntries(e.entries(l.home))
}

// AddEntries adds request roots that reach the loss.
func (v *Verdict) AddEntries(names []string) {
	for _, n := range names {
		if !slices.Contains(v.Entries, n) {
			v.Entries = append(v.Entries, n)
		}
	}
	slices.Sort(v.Entries)
}

// callRange is the extent of the call whose parenthesis is at pos, or of the
// go, defer or return statement that begins there. Only the declaration around
// pos is walked.
func callRange(f *ast.File, pos token.Pos) (token.Pos, token.Pos) {
	start, end := pos, pos
	if f == nil {
		return start, end
	}
	i, _ := slices.BinarySearchFunc(f.Decls, pos, func(d ast.Decl, pos token.Pos) int { return cmp.Compare(d.End(), pos) })
	if i == len(f.Decls) {
		return start, end
	}
	ast.Inspect(f.Decls[i], func(n ast.Node) bool {
		if n == nil || pos < n.Pos() || n.End() <= pos {
			return false
		}
		switch n := n.(type) {
		case *ast.CallExpr:
			if n.Lparen == pos {
				start, end = n.Pos(), n.End()
			}
		case *ast.GoStmt, *ast.DeferStmt, *ast.ReturnStmt:
			if n.Pos() == pos {
				start, end = n.Pos(), n.End()
			}
		}
		return true
	})
	return start, end
}

func endOfCall(f *ast.File, pos token.Pos) token.Pos {
	_, end := callRange(f, pos)
	return end
}

// Site is one blocking call with its context, for -why.
type Site struct {
	Pos     token.Pos
	In      string
	Sink    string
	Grade   finding.Grade
	Origins []SiteOrigin
	Rule    Rule // the rule of silence that applied, or ""
	Allowed bool // suppressed by a directive
}

// SiteOrigin is a provenance.Origin without its SSA.
type SiteOrigin struct {
	Kind                   provenance.Kind
	Root                   string
	Pos                    token.Pos // where the root is made
	Bounded, Values, Maybe bool
}

func siteOrigins(os []provenance.Origin) []SiteOrigin {
	var out []SiteOrigin
	for _, o := range os {
		so := SiteOrigin{Kind: o.Kind, Root: o.Root, Bounded: o.Bounded, Values: o.Values, Maybe: o.Maybe}
		if o.Site != nil {
			so.Pos = o.Site.Pos()
		}
		out = append(out, so)
	}
	return out
}

func (s *Site) String() string {
	var parts []string
	for _, o := range s.Origins {
		text := o.Kind.String()
		if o.Root != "" {
			text += " (" + o.Root + ")"
		}
		if o.Bounded {
			text += ", with a deadline of its own"
		}
		if o.Maybe {
			text += ", only if there is no other"
		}
		parts = append(parts, text)
	}
	text := fmt.Sprintf("%s calls %s; context: %s; grade %s", s.In, s.Sink, strings.Join(parts, " or "), s.Grade)
	if parts == nil {
		text = fmt.Sprintf("%s waits in %s; context: none; grade %s", s.In, s.Sink, s.Grade)
	}
	if s.Rule != "" {
		text += fmt.Sprintf("; silent by rule %s", s.Rule)
	}
	if s.Allowed {
		text += "; suppressed by a directive"
	}
	return text
}

// engine analyses one package.
type engine struct {
	pass     *analysis.Pass
	catalog  *catalog.Catalog
	cfg      *Config
	imported map[*types.Func]*Fact
	declared map[*types.Func][]string // lines that directives make, by function

	pkg    *ssa.Package
	calls  *callee.Resolver
	trace  *provenance.Tracer
	roots  *request.Roots
	allows *finding.Directives

	funcs   []*function
	current *function // being analysed
	bySSA   map[*ssa.Function]*function
	reached map[*function]bool // from a request root
	impls   map[*types.Func][]*function
	unknown []string
	// testSupport: the package is there for tests, and nothing in it is reported.
	testSupport bool

	sites         map[token.Pos]*Site
	verdicts      []*Verdict
	closed        map[closeKey]*Verdict
	usedUnderived map[*function][]lossSite
	seenUnderived map[token.Pos]bool
	mixed         map[*ssa.Call]bool              // roots of which some use is right as it is
	loops         map[*ssa.Function][]*loops.Loop // lazily, by loopsOf
	survivor      map[*ssa.Call]bool              // roots with a deadline that are used for release
	openLosses    []*Verdict
	latent        []*Verdict
	deaf          []*Verdict // uses of deaf contexts
	lifetimeSeen  map[lifetimeKey]bool

	// Of retries.
	errors       *errflow.Flow
	stored       *memory // lazily, by memory
	recursions   map[*function][]*retryLoop
	retryLoops   map[*function][]*retryLoop
	ways         map[*callsite]way // lazily, by wayOut
	dialConfigs  []*dialopt.Config // lazily, by configsRead
	dialsRead    bool
	allDials     []*dialled // lazily, by dialsInSight
	dialsKnown   bool
	stubs        map[*types.Func]string // lazily, by stubMethods
	nests        map[nestKey]*nest
	lostMarks    map[token.Pos]*Verdict
	servicesOn   map[token.Pos][]string                  // by config, for Result.CalledOn
	clientCounts map[*retry.LibraryPolicy]retry.Attempts // lazily, by clientCount
	madeAs       map[*types.Named][]types.Type           // lazily, by madeInto

	inDefers  map[*function]bool // lazily, by deferred
	consulted map[paramKey]bool
	chans     map[*types.Var][]*ssa.MakeChan // lazily, by chanMakes
	callers   map[*ssa.Function][]caller     // lazily, by callersOf
	deadlines *bool                          // lazily, by setsDeadlines
	ownDone   map[fieldKey]bool              // lazily, by startsItsOwn
}

// analyze runs the steps in their order; each uses what the ones before it left.
func (e *engine) analyze() *Result {
	e.testSupport = e.supportsTests()
	e.pkg = e.build()
	e.calls = callee.New(e.pkg, sourceFuncs(e.pkg, e.pass.Files, e.pass.TypesInfo))
	e.trace = provenance.New(e.catalog, e.calls, e)
	e.roots = request.New(e.catalog, e.pass.Pkg)
	e.impls = map[*types.Func][]*function{}
	e.sites = map[token.Pos]*Site{}
	e.closed = map[closeKey]*Verdict{}
	e.usedUnderived = map[*function][]lossSite{}
	e.seenUnderived = map[token.Pos]bool{}
	e.mixed, e.survivor = map[*ssa.Call]bool{}, map[*ssa.Call]bool{}
	e.lifetimeSeen = map[lifetimeKey]bool{}

	e.addFunctions()
	e.addRootArguments()
	e.addEdges()
	e.reach()
	e.summarize()
	e.findRetries()
	e.classify(e.findLosses())
	e.findConsulted()
	e.judgeLapses(e.findLapses())
	e.importLosses()
	e.findUnderived()
	e.findUnconsulted()
	e.findNoDeadline()
	e.exportFacts()
	e.exportDeclared()
	return e.result()
}

func (e *engine) result() *Result {
	g := e.graph()
	e.judgeEngines(g)
	slices.SortStableFunc(e.verdicts, func(a, b *Verdict) int { return cmp.Compare(a.Pos, b.Pos) })
	r := &Result{Verdicts: e.verdicts, Directives: e.allows, Graph: g, Unknown: e.unknown, CalledOn: e.servicesOn, Functions: len(e.funcs), Threshold: e.threshold()}
	for _, s := range e.sites {
		r.Sites = append(r.Sites, s)
	}
	slices.SortFunc(r.Sites, func(a, b *Site) int { return cmp.Compare(a.Pos, b.Pos) })
	return r
}

func (e *engine) addSite(f *function, cs *callsite, sink Sink, os []provenance.Origin) {
	pos := cs.instr.Pos()
	if e.sites[pos] == nil {
		e.sites[pos] = &Site{Pos: pos, In: f.name(), Sink: sink.Name, Grade: e.gradeAt(f), Origins: siteOrigins(os)}
	}
}

// allowed reports whether a directive at one of the places suppresses the code
// for the call at site.
func (e *engine) allowed(site token.Pos, code finding.Code, at ...token.Pos) bool {
	found := false
	for _, pos := range at {
		found = e.allows.Allowed(pos, code) || found
	}
	if s := e.sites[site]; s != nil && found {
		s.Allowed = true
	}
	return found
}

// note records the rule of silence that applied at a site.
func (e *engine) note(pos token.Pos, rule Rule) {
	if s := e.sites[pos]; s != nil {
		s.Rule = rule
	}
}
