package ctxflow

import (
	"strings"

	"github.com/ctxprop/ctxprop/internal/callee"
	"github.com/ctxprop/ctxprop/internal/finding"
)

// unheeded returns the rule by which the contexts at hand oblige to nothing.
// closing says that the loss is in a function called from here.
//
// A parameter without a name declares that an implementation does not use its
// context; only a request's handler must. One that its author has named _ctx is
// not left out by chance, in a handler neither. A command line's entry point is a
// root of the process like main: what it starts may have a root of its own,
// and in itself its context counts only if the package uses it somewhere, for
// a command's context cancels only in programs that have provided one.
func (e *engine) unheeded(g finding.Grade, hand []carrier, closing bool) (Rule, bool) {
	if !e.cfg.without[RuleUnset] && e.isUnset(hand) {
		return RuleUnset, true
	}
	if allDisowned(hand) && !e.cfg.without[RuleBlank] {
		return RuleBlank, true
	}
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
	if _, framework := e.catalog.Provider(c.v.Type()); framework || n == nil || n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "context" {
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

// allDisowned reports whether the name of every context at hand begins with _.
func allDisowned(hand []carrier) bool {
	for _, c := range hand {
		if c.blank() || !strings.HasPrefix(c.v.Name(), "_") {
			return false
		}
	}
	return true
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
