package ctxbackground

import (
	"fmt"
	"strings"

	"github.com/ctxprop/ctxprop/internal/catalog"
	"github.com/ctxprop/ctxprop/internal/ctxflow"
	"github.com/ctxprop/ctxprop/internal/finding"
)

// message words a verdict: what is made where, what it cuts off from whom,
// and what to do. It stands alone, for it is all that some drivers show.
func message(v *ctxflow.Verdict) string {
	var text string
	switch {
	case v.Code == finding.FreshContext:
		text = fmt.Sprintf("%s in %s cuts %s off from %s; %s", v.Root, v.HomeName, v.Sink.Name, v.Behalf(), advice(v))
	case v.Code == finding.UnboundedDetach:
		text = fmt.Sprintf("%s starts %s on a detached context (%s) without a deadline, and nobody waits for it: give it a timeout", v.HomeName, v.Sink.Name, v.Root)
	case v.InGroup:
		text = fmt.Sprintf("%s waits for %s in a group on another context than the group's, so it goes on when the group has failed; use the one that errgroup.WithContext returns", v.HomeName, v.Sink.Name)
	case v.Uses != nil:
		text = deafEngine(v)
	case v.Code == finding.WrongContext:
		text = fmt.Sprintf("%s waits for %s on %s, which lives as long as its owner, although its caller's context is at hand; %s", v.HomeName, v.Sink.Name, v.Root, advice(v))
	case v.Code == finding.ContextOutlived:
		text = fmt.Sprintf("%s starts %s on the request's context and does not wait for it: it is cancelled as soon as the handler returns; use context.WithoutCancel with a timeout", v.HomeName, v.Sink.Name)
	case v.Code == finding.DoneContext:
		text = fmt.Sprintf("%s calls %s on a context that is already done, so it fails at once; use context.WithoutCancel with a timeout", v.HomeName, v.Sink.Name)
	case v.Code == finding.UnderivedResult:
		text = fmt.Sprintf("%s takes a context and returns one made from %s, so its callers lose deadline and cancellation; %s", v.HomeName, v.Root, deriveAdvice(v))
	case v.Returned:
		text = fmt.Sprintf("%s takes a context and returns one made from %s: %s in %s can outlive its caller; %s", v.HomeName, v.Root, v.Sink.Name, v.Closers[0].Name, deriveAdvice(v))
	case v.Local:
		text = fmt.Sprintf("%s makes its own context from %s: %s can outlive the caller of %s; give %s a ctx", v.HomeName, v.Root, v.Sinks(), v.Closers[0].Name, v.ShortHome())
	default:
		text = fmt.Sprintf("%s makes its own context (%s:%d): %s there can outlive the caller of %s; give it a ctx", v.Open.Name, v.Open.File, v.Open.Line, v.Sinks(), v.Closers[0].Name)
	}
	return text
}

func advice(v *ctxflow.Verdict) string {
	if expr := v.HandExpr(); expr != "" {
		return "use " + expr
	}
	return "name the context parameter and use it"
}

func deriveAdvice(v *ctxflow.Verdict) string {
	if expr := v.HandExpr(); expr != "" {
		return "derive it from " + expr
	}
	return "name the context parameter and derive it from that"
}

// deafEngine words the verdict on an engine whose contexts do not end.
func deafEngine(v *ctxflow.Verdict) string {
	first := v.Uses[0]
	who := first.HomeName + " hands its"
	if n := len(v.Uses); n > 1 {
		who = fmt.Sprintf("%s and %d more hand theirs", first.HomeName, n-1)
	}
	return fmt.Sprintf("%s in %s leaves %s off, so a %s does not end with its request, and %s on to work such as %s; set it, or %s",
		v.Root, v.HomeName, v.Deaf.Unless, shortType(v.Deaf.TypeName), who, first.Sink.Name, advice(first))
}

// shortType names a type by the last element of its package's path.
func shortType(n catalog.TypeName) string {
	return n.Pkg[strings.LastIndexByte(n.Pkg, '/')+1:] + "." + n.Name
}
