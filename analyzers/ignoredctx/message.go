package ignoredctx

import (
	"fmt"
	"strings"

	"github.com/ctxprop/ctxprop/internal/ctxflow"
	"github.com/ctxprop/ctxprop/internal/finding"
)

// message words a verdict: what cannot be ended, for whom, and what to do. It
// stands alone, for it is all that some drivers show.
func message(v *ctxflow.Verdict) string {
	switch {
	case v.Code == finding.NeverConsulted:
		return fmt.Sprintf("%s does %s, and nobody on its way asks the request's context whether the caller is still there; %s", v.HomeName, v.Sink.Name, askAdvice(v))
	case v.Code == finding.ExpensiveAfterGone:
		return fmt.Sprintf("%s enters %s after it has waited, without asking whether its caller is still there; %s", v.HomeName, v.Sink.Name, askAdvice(v))
	case v.Code == finding.CallWithoutContext && v.Root != "" && v.Open.Home == "":
		return fmt.Sprintf("%s in %s gives %s no context, so %s cannot end it; %s", v.Root, v.HomeName, v.Sink.Name, v.Behalf(), callAdvice(v))
	case v.Code == finding.CallWithoutContext && v.Root != "":
		return fmt.Sprintf("%s gives %s no context%s: it can outlive the caller of %s; give %s a ctx%s", home(v), v.Sinks(), place(v), v.Closers[0].Name, shortHome(v), useAdvice(v))
	case v.Open.Home == "" && v.Code == finding.CallWithoutContext:
		return fmt.Sprintf("%s in %s takes no context, so %s cannot end it; %s", v.Sink.Name, v.HomeName, v.Behalf(), callAdvice(v))
	case v.Code == finding.NoDeadline:
		return fmt.Sprintf("%s in %s has no deadline, and its client no timeout: it can take for ever; give the context or the client a timeout", v.Sink.Name, v.HomeName)
	case v.FallsThrough():
		return fmt.Sprintf("the loop in %s goes round again when %s has passed: its Done case does not leave it; return there", home(v), v.Behalf())
	case v.Open.Home == "" && v.Code == finding.UncancellableLoop:
		return fmt.Sprintf("the loop over %s in %s goes on past %s; %s", v.Sink.Name, v.HomeName, v.Behalf(), loopAdvice(v))
	case v.Open.Home == "":
		return fmt.Sprintf("%s in %s goes on past %s; %s", v.Sink.Name, v.HomeName, v.Behalf(), waitAdvice(v))
	case v.Code == finding.CallWithoutContext:
		return fmt.Sprintf("%s calls %s, which takes no context%s: it can outlive the caller of %s; give %s a ctx%s", home(v), v.Sinks(), place(v), v.Closers[0].Name, shortHome(v), useAdvice(v))
	}
	what := "waits in"
	if v.Code == finding.UncancellableLoop {
		what = "loops over"
	}
	return fmt.Sprintf("%s %s %s%s, past the deadline of the caller of %s; give %s a ctx and wait for its Done as well", home(v), what, v.Sinks(), place(v), v.Closers[0].Name, shortHome(v))
}

func home(v *ctxflow.Verdict) string {
	apart := strings.Contains(v.Open.Name, " ") // a function made by another, which does not run it
	if v.HomeName != "" && !apart {
		return v.HomeName
	}
	return v.Open.Name
}

func shortHome(v *ctxflow.Verdict) string {
	name := home(v)
	if strings.Contains(name, " ") { // a package variable's initializer, a function made by another
		return "it"
	}
	return name[strings.LastIndexByte(name, '.')+1:]
}

// place says where the home is, if another package reports it.
func place(v *ctxflow.Verdict) string {
	if v.Local {
		return ""
	}
	return fmt.Sprintf(" (%s:%d)", v.Open.File, v.Open.Line)
}

func callAdvice(v *ctxflow.Verdict) string {
	hand := v.HandExpr()
	switch {
	case v.Use == "" && hand == "":
		return "name the context parameter and use it"
	case v.Use == "":
		return "use " + hand
	case hand == "":
		return fmt.Sprintf("name the context parameter and use %s", v.Use)
	}
	return fmt.Sprintf("use %s with %s", v.Use, hand)
}

func useAdvice(v *ctxflow.Verdict) string {
	if v.Use == "" {
		return ""
	}
	return " and use " + v.Use
}

func waitAdvice(v *ctxflow.Verdict) string {
	if v.ReadsConn() {
		return "move the connection's deadline into the past when it is done, by context.AfterFunc"
	}
	if hand := v.HandExpr(); hand != "" {
		return fmt.Sprintf("wait for %s.Done() as well", hand)
	}
	return "name the context parameter and wait for its Done as well"
}

func loopAdvice(v *ctxflow.Verdict) string {
	if hand := v.HandExpr(); hand != "" {
		return fmt.Sprintf("leave it when %s.Err() is not nil", hand)
	}
	return "name the context parameter and leave the loop when it is done"
}

func askAdvice(v *ctxflow.Verdict) string {
	if hand := v.HandExpr(); hand != "" {
		return fmt.Sprintf("check %s.Err() before it", hand)
	}
	return "name the context parameter and check its Err before it"
}
