// Package finding holds what every part of ctxprop must agree on about a
// report: its code, severity, grade, wording conventions, identity and
// suppression. The table in this package is the one source for the messages'
// codes, the documentation and machine-readable rule lists.
package finding

import (
	"fmt"
	"slices"
	"strings"
)

// Severity orders findings by how sure and how harmful they are.
type Severity uint8

// The severities, weakest first, so that they compare with <.
const (
	Info Severity = iota
	Warning
	Error
)

var severityNames = [...]string{Info: "info", Warning: "warning", Error: "error"}

func (s Severity) String() string { return severityNames[s] }

// MarshalText writes the severity's name, for JSON.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (s *Severity) UnmarshalText(text []byte) error {
	got, err := ParseSeverity(string(text))
	if err == nil {
		*s = got
	}
	return err
}

// ParseSeverity reads "error", "warning" or "info".
func ParseSeverity(name string) (Severity, error) {
	for i, n := range severityNames {
		if n == name {
			return Severity(i), nil
		}
	}
	return 0, fmt.Errorf("unknown severity %q: use error, warning or info", name)
}

// Grade says on whose behalf the code at a finding runs.
type Grade uint8

const (
	// GradeNone: no request and no caller's context is known; nothing is reported.
	GradeNone Grade = iota
	// GradeContract: the function takes a context (or a value that provides
	// one) and no request root is in sight. It costs one step of severity.
	GradeContract
	// GradeRequest: a request root, or reached from one.
	GradeRequest
)

func (g Grade) String() string { return [...]string{"N", "C", "R"}[g] }

// MarshalText writes R, C or N, for JSON.
func (g Grade) MarshalText() ([]byte, error) { return []byte(g.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (g *Grade) UnmarshalText(text []byte) error {
	i := strings.Index("NCR", string(text))
	if i < 0 || len(text) != 1 {
		return fmt.Errorf("unknown grade %q: use R, C or N", text)
	}
	*g = Grade(i)
	return nil
}

// Code is a stable identifier such as CTX101. Codes are never reused.
type Code string

// The codes that the analyzers report.
const (
	BadDirective       Code = "CTX001"
	FreshContext       Code = "CTX101"
	SeveredCallee      Code = "CTX102"
	UnboundedDetach    Code = "CTX103"
	WrongContext       Code = "CTX104"
	ContextOutlived    Code = "CTX105"
	UnderivedResult    Code = "CTX106"
	DoneContext        Code = "CTX107"
	NeverConsulted     Code = "CTX201"
	CallWithoutContext Code = "CTX202"
	UncancellableWait  Code = "CTX203"
	UncancellableLoop  Code = "CTX204"
	ExpensiveAfterGone Code = "CTX205"
	NoDeadline         Code = "CTX206"
	NestedRetry        Code = "CTX301"
	UnboundedRetry     Code = "CTX302"
	DeafRetry          Code = "CTX303"
	TightRetry         Code = "CTX304"
	RetryOutlives      Code = "CTX305"
	HarmfulCodes       Code = "CTX306"
	IneffectivePolicy  Code = "CTX307"
	InvalidPolicy      Code = "CTX308"
	LostPermanent      Code = "CTX309"
	KnobTrap           Code = "CTX310"
	FlatWait           Code = "CTX311"
)

// RuleInfo is what the table knows of a code.
type RuleInfo struct {
	Code     Code
	Name     string   // kebab-case
	Analyzer string   // the analyzer that reports it
	Severity Severity // at grade R
	Summary  string   // one line, lower case
}

// rules is the one table of codes. Documentation, explain and the
// machine-readable outputs are made from it.
var rules = []RuleInfo{
	{BadDirective, "bad-directive", "ctxbackground", Warning, "a //ctxprop: directive that is malformed, names no known code, gives no reason, or suppresses nothing"},
	{FreshContext, "fresh-context", "ctxbackground", Error, "a fresh context reaches blocking work in a function that has a caller's context at hand"},
	{SeveredCallee, "severed-callee", "ctxbackground", Error, "a function on a caller's path makes its own root context for blocking work"},
	{UnboundedDetach, "unbounded-detach", "ctxbackground", Warning, "blocking work is started on a detached context with neither a deadline nor a cancel function, and nobody waits for it"},
	{WrongContext, "wrong-context", "ctxbackground", Warning, "work is waited for on a context that does not end with the caller's, which is at hand: a stored one, the outer one in an errgroup, a framework's that never ends"},
	{ContextOutlived, "context-outlived", "ctxbackground", Warning, "a request's context is used by work that outlives the request"},
	{UnderivedResult, "underived-result", "ctxbackground", Warning, "a function that takes a context returns one that is not derived from it"},
	{DoneContext, "done-context", "ctxbackground", Warning, "a context that is already done is used for cleanup or shutdown"},
	{NeverConsulted, "never-consulted", "ignoredctx", Warning, "a request's handler that works long, and whose context nobody asks whether it has ended"},
	{CallWithoutContext, "call-without-context", "ignoredctx", Warning, "a blocking call that could have taken the context at hand"},
	{UncancellableWait, "uncancellable-wait", "ignoredctx", Warning, "a sleep, channel operation or other wait that cancellation cannot end"},
	{UncancellableLoop, "uncancellable-loop", "ignoredctx", Warning, "a loop over waiting work that does not end when the context does"},
	{ExpensiveAfterGone, "expensive-after-gone", "ignoredctx", Info, "long work that a request enters after it has waited, without asking whether its caller is still there"},
	{NoDeadline, "no-deadline", "ignoredctx", Info, "an outgoing call on a context that has no deadline, by a client that has no timeout"},
	{NestedRetry, "nested-retry", "retrynest", Warning, "attempts multiply along a path of calls, because layers of retries lie over one another"},
	{UnboundedRetry, "unbounded-retry", "retrynest", Error, "a retry that ends neither by count nor by time nor with its context"},
	{DeafRetry, "deaf-retry", "retrynest", Warning, "a retry that goes on after its context has ended, or repeats on a shared context what only a new deadline could change"},
	{TightRetry, "tight-retry", "retrynest", Warning, "a retry without a wait between the attempts"},
	{RetryOutlives, "retry-outlives-deadline", "retrynest", Warning, "attempts and waits that take longer than the deadline they run under"},
	{HarmfulCodes, "harmful-codes", "retrynest", Warning, "a retry, in code or in a gRPC retry policy, of what sheds load or of what the same request cannot make succeed"},
	{IneffectivePolicy, "ineffective-policy", "retrynest", Warning, "a gRPC service config, or a part of one, that grpc-go ignores, clamps, hides or never matches"},
	{InvalidPolicy, "invalid-policy", "retrynest", Error, "a gRPC service config with which no client can be built"},
	{LostPermanent, "lost-permanent", "retrynest", Warning, "an error marked as one to stop at loses the mark on its way, and the next layer tries again"},
	{KnobTrap, "knob-trap", "retrynest", Warning, "a count of attempts whose zero or one means something else than it says"},
	{FlatWait, "flat-wait", "retrynest", Info, "waits between attempts that neither grow nor vary"},
}

// Rules returns the table, ordered by code. The caller must not change it.
func Rules() []RuleInfo { return rules }

// ReportedBy reports whether the analyzer is the one that reports the code.
func (c Code) ReportedBy(analyzer string) bool {
	rule, ok := Rule(c)
	return ok && rule.Analyzer == analyzer
}

// Analyzers lists the analyzers that report the codes.
func Analyzers() []string {
	var names []string
	for _, r := range rules {
		if !slices.Contains(names, r.Analyzer) {
			names = append(names, r.Analyzer)
		}
	}
	return names
}

// Rule returns the entry of a code.
func Rule(code Code) (RuleInfo, bool) {
	for _, r := range rules {
		if r.Code == code {
			return r, true
		}
	}
	return RuleInfo{}, false
}

// URL is where the code is documented.
func (c Code) URL() string {
	return "https://github.com/ctxprop/ctxprop/blob/main/docs/rules.md#" + strings.ToLower(string(c))
}

// SeverityAt is the severity of a code at a grade: grade C costs one step.
func SeverityAt(code Code, g Grade) Severity {
	r, ok := Rule(code)
	if !ok {
		return Info
	}
	if g == GradeContract && r.Severity > Info {
		return r.Severity - 1
	}
	return r.Severity
}
