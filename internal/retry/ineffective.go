package retry

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ctxprop/ctxprop/internal/finding"
)

// ineffective adds a problem for something that grpc-go passes over.
func (c *ServiceConfig) ineffective(at *node, format string, args ...any) *Problem {
	return c.add(finding.IneffectivePolicy, finding.Warning, at, format, args...)
}

// numeric is ineffective for what follows from how large numbers are.
func (c *ServiceConfig) numeric(at *node, format string, args ...any) *Problem {
	p := c.ineffective(at, format, args...)
	p.Numeric = true
	return p
}

// findIneffective looks for what is accepted and does not do what it says.
func (c *ServiceConfig) findIneffective(wire *wireConfig) {
	retries := false
	if wire.MethodConfig != nil {
		entries := c.tree.get("methodConfig")
		for i, e := range *wire.MethodConfig {
			c.checkEntry(e, entries.at(i))
			retries = retries || e.Name != nil && len(*e.Name) > 0 && e.RetryPolicy != nil
		}
		c.findShadowed()
		c.checkOnly(*wire.MethodConfig, entries)
	}
	if t := wire.RetryThrottling; t != nil {
		c.checkBudget(t, retries)
	}
}

func (c *ServiceConfig) checkEntry(e wireEntry, n *node) {
	switch {
	case e.Name == nil:
		if n != nil && n.kind == object && c.misspelt(n, entryShape, "name") == nil {
			c.ineffective(n.head(), "this entry of methodConfig has no name, so grpc-go skips it%s: add \"name\" with the services that it is for, or [{}] for all", withPolicy(e))
		}
		return
	case len(*e.Name) == 0:
		c.ineffective(n.get("name"), "name is empty, so this entry of methodConfig matches no method%s: name the services that it is for, or write [{}] for all", withPolicy(e))
		return
	}
	for i, name := range *e.Name {
		at := n.get("name").at(i)
		c.checkName(name, at)
		c.checkKnown(name, at)
	}
	if e.Timeout != nil && *e.Timeout < 0 {
		c.numeric(n.get("timeout"), "timeout is negative, so grpc-go ignores it: give a positive one, or leave it out")
	}
	if e.RetryPolicy != nil {
		c.checkWaits(e.RetryPolicy, n.get("retryPolicy"))
		c.checkTimeout(e, n.get("timeout"))
		c.checkCodes(e.RetryPolicy, n.get("retryPolicy").get("retryableStatusCodes"))
	}
}

// head is the first byte of a value that is too long to be marked as a whole.
func (n *node) head() *node { return &node{start: n.start, end: n.start + 1} }

func withPolicy(e wireEntry) string {
	if e.RetryPolicy != nil {
		return " and its retryPolicy"
	}
	return ""
}

// checkName looks for names that can match no method of a service that is
// described by protocol buffers.
func (c *ServiceConfig) checkName(name wireName, n *node) {
	service, method := n.get("service"), n.get("method")
	switch {
	case service == nil || service.kind != text:
	case name.Service == "*":
		p := c.ineffective(service, "service \"*\" matches no service, for grpc-go knows no wildcard: an empty name, {}, is for all methods")
		if name.Method == "" {
			p.Fix = "Name all methods"
			p.mend(n.start, n.end, "{}")
		}
	case strings.Contains(name.Service, "/"):
		p := c.ineffective(service, "service %q matches no method, for grpc-go takes the service's full name without a slash, such as shop.v1.Stock", name.Service)
		svc, m, inside := strings.Cut(strings.TrimPrefix(name.Service, "/"), "/")
		switch {
		case !inside || m == "":
			p.Fix = "Name the service"
			p.mend(service.start, service.end, strconv.Quote(svc))
		case method == nil && !strings.Contains(m, "/"):
			p.Fix = "Name service and method"
			p.mend(service.start, service.end, strconv.Quote(svc)+`, "method": `+strconv.Quote(m))
		}
	case strings.ContainsAny(name.Service, " \t\n*"):
		c.ineffective(service, "service %q matches no method: grpc-go compares full names, such as shop.v1.Stock, and knows no wildcard", name.Service)
	}
	if method != nil && method.kind == text && name.Service != "" && strings.ContainsAny(name.Method, "/ \t\n*") {
		p := c.ineffective(method, "method %q matches no method: grpc-go compares the bare name, such as Get, and knows no wildcard", name.Method)
		if m := strings.TrimPrefix(name.Method, "/"); m != "" && !strings.ContainsAny(m, "/ \t\n*") {
			p.Fix = "Name the method"
			p.mend(method.start, method.end, strconv.Quote(m))
		}
	}
}

// checkWaits looks at the numbers of a policy that is valid.
func (c *ServiceConfig) checkWaits(p *wirePolicy, n *node) {
	if limit := c.client.limit(); p.MaxAttempts > limit && !c.client.LimitUnknown {
		at := n.get("maxAttempts")
		by := "grpc-go makes at most 5 attempts unless the client is built with grpc.WithMaxCallAttempts"
		if limit != DefaultMaxCallAttempts {
			by = fmt.Sprintf("the client is built with grpc.WithMaxCallAttempts(%d)", limit)
		}
		q := c.numeric(at, "maxAttempts %d has the effect of %d: %s", p.MaxAttempts, limit, by)
		if at != nil && limit > 1 {
			q.Fix = fmt.Sprintf("Say %d, which is what happens", limit)
			q.mend(at.start, at.end, strconv.Itoa(limit))
		}
	}
	initial, most := time.Duration(p.InitialBackoff), time.Duration(p.MaxBackoff)
	if initial > most {
		c.numeric(n.get("initialBackoff"), "initialBackoff %s is cut down to maxBackoff %s, so every wait is the same: raise maxBackoff", initial, most)
	} else if p.BackoffMultiplier < 1 {
		q := c.numeric(n.get("backoffMultiplier"), "backoffMultiplier %v makes every wait shorter than the one before, and maxBackoff has no effect: use 1 or more", p.BackoffMultiplier)
		q.Severity = finding.Info
	}
}

// checkTimeout looks for attempts that can never be made, because the timeout
// is the deadline of the call with all its attempts and the waits between them.
func (c *ServiceConfig) checkTimeout(e wireEntry, n *node) {
	if e.Timeout == nil || *e.Timeout < 0 {
		return
	}
	timeout, policy := time.Duration(*e.Timeout), c.policy(e.RetryPolicy)
	fit, _ := policy.Backoff.AttemptsWithin(timeout)
	most, bounded := fit.Most()
	if !bounded || most >= policy.Attempts || c.client.LimitUnknown {
		return
	}
	waits, _ := policy.Backoff.Waits(most + 1)
	p := c.add(finding.RetryOutlives, finding.Warning, n, "timeout %s ends the call before attempt %d of %d, for the waits until then take %s at least: raise the timeout, or wait less", timeout, most+1, policy.Attempts, waits.Round(time.Millisecond))
	p.Numeric = true
}

// Hopeless holds the codes with which the same request fails again.
var Hopeless = Errors(InvalidArgument, NotFound, AlreadyExists, PermissionDenied, FailedPrecondition,
	OutOfRange, Unimplemented, DataLoss, Unauthenticated)

// checkCodes looks for codes that have no effect, and for those that harm.
func (c *ServiceConfig) checkCodes(p *wirePolicy, n *node) {
	codes := make([]Class, len(p.RetryableStatusCodes))
	var dead []int
	for i, code := range p.RetryableStatusCodes {
		if codes[i] = Class(code); codes[i] == OK {
			dead = append(dead, i)
		}
	}
	harmful, why := Harmful(codes)
	if len(dead) == len(codes) {
		c.ineffective(n, "retryableStatusCodes lists OK only, which is no failure, so nothing is retried: name the codes to retry on, such as UNAVAILABLE")
	} else if len(dead) > 0 {
		q := c.ineffective(n.at(dead[0]), "OK is no failure, so this code has no effect: take it out of retryableStatusCodes")
		if len(harmful) == 0 { // else two fixes would meet in one list
			c.drop(q, n, dead)
		}
	}
	if len(harmful) == 0 {
		return
	}
	q := c.add(finding.HarmfulCodes, finding.Warning, n.at(harmful[0]), "retryPolicy repeats calls that failed with %s out of retryableStatusCodes", why)
	if c.hasBudget() && !slices.ContainsFunc(codes, Hopeless.Has) {
		q.Severity = finding.Info // the budget ends what makes it worse
	}
	c.drop(q, n, harmful)
}

// Harmful lists the elements of a list of codes that a retry had better leave
// alone. why names them, says what is wrong, and asks to take them from
// somewhere.
func Harmful(codes []Class) (which []int, why string) {
	var shed, lost []string
	for i, code := range codes {
		switch {
		case code == ResourceExhausted:
			shed = append(shed, code.String())
		case Hopeless.Has(code):
			lost = append(lost, code.String())
		default:
			continue
		}
		which = append(which, i)
	}
	var parts []string
	if shed != nil {
		parts = append(parts, shed[0]+", with which a server sheds load, so that retries feed the overload")
	}
	if lost != nil {
		slices.Sort(lost)
		parts = append(parts, strings.Join(slices.Compact(lost), ", ")+", which the same request meets again")
	}
	it := "it"
	if len(which) > 1 {
		it = "them"
	}
	return which, fmt.Sprintf("%s: take %s", strings.Join(parts, ", and with "), it)
}

// hasBudget reports whether retryThrottling limits the retries.
func (c *ServiceConfig) hasBudget() bool { return c.Throttle != nil }

// drop takes elements out of an array, if others stay, with the commas and
// the space that belong to them.
func (c *ServiceConfig) drop(p *Problem, n *node, which []int) {
	if n == nil || len(which) >= len(n.elems) || which[len(which)-1] >= len(n.elems) {
		return
	}
	var names []string
	for i, e := range n.elems {
		if !slices.Contains(which, i) {
			continue
		}
		names = append(names, strings.Trim(c.src[e.start:e.end], `"`))
		edit := Edit{Start: e.start}
		if i+1 < len(n.elems) {
			edit.End = n.elems[i+1].start
		} else {
			edit = Edit{Start: lastKept(n, which).end, End: e.end}
		}
		// A run of elements is one edit.
		if last := len(p.Edits) - 1; last >= 0 && p.Edits[last].End >= edit.Start {
			p.Edits[last].End = edit.End
			p.Edits[last].Start = min(p.Edits[last].Start, edit.Start)
			continue
		}
		p.Edits = append(p.Edits, edit)
	}
	p.Fix = "Drop " + strings.Join(names, ", ")
}

// lastKept is the last element that stays.
func lastKept(n *node, which []int) *node {
	for i := len(n.elems) - 1; ; i-- {
		if !slices.Contains(which, i) {
			return n.elems[i]
		}
	}
}

// findShadowed looks for entries without a retryPolicy that keep methods from
// the policy of a wider entry. That may be meant, so it is information only.
func (c *ServiceConfig) findShadowed() {
	for _, e := range c.entries {
		if e.method.Policy != nil || e.node == nil || len(e.node.members) < 2 {
			continue // with a name alone, it can only be meant
		}
		for i, name := range e.names {
			wider, ok := c.wider(name)
			if !ok {
				continue
			}
			p := c.ineffective(e.node.get("name").at(i), "%s gets no retries, for this entry hides the retryPolicy of %s as a whole: repeat the policy here, unless that is meant", nameText(name), wider)
			p.Severity = finding.Info
			break
		}
	}
}

// wider names the entry that would give the name a policy, if its own were not there.
func (c *ServiceConfig) wider(n wireName) (string, bool) {
	if n.Service == "" {
		return "", false
	}
	if n.Method != "" {
		if i, ok := c.paths["/"+n.Service+"/"]; ok {
			return "service " + n.Service, c.entries[i].method.Policy != nil
		}
	}
	i, ok := c.paths[""]
	return "the default", ok && c.entries[i].method.Policy != nil
}

// checkBudget looks at retryThrottling.
func (c *ServiceConfig) checkBudget(t *Throttle, retries bool) {
	n := c.tree.get("retryThrottling")
	switch {
	case !retries:
		p := c.ineffective(n, "retryThrottling has no effect, for no entry of methodConfig has a retryPolicy")
		p.Severity = finding.Info
	case t.RetriesInOutage() == 0:
		c.numeric(n.get("maxTokens"), "maxTokens %v leaves no token for a single retry, for grpc-go retries only while more than half of them are left: use more than 2", t.MaxTokens)
	}
}

// findUnknownKeys looks for keys that grpc-go passes over without a word.
func (c *ServiceConfig) findUnknownKeys() { c.checkKeys(c.tree, configShape) }

func (c *ServiceConfig) checkKeys(n *node, s *shape) {
	switch s.is {
	case isArray:
		for _, e := range n.elems {
			c.checkKeys(e, s.elem)
		}
	case isObject:
		seen := map[string]bool{}
		for i := range n.members {
			m := &n.members[i]
			f := s.find(m.key)
			if f == nil {
				c.unknownKey(n, s, m)
				continue
			}
			if seen[f.key] {
				p := c.ineffective(nil, "%s is there twice in this object, and grpc-go mixes the two: keep one", f.key)
				p.Start, p.End = m.keyStart, m.keyStop
			}
			seen[f.key] = true
			c.checkKeys(m.value, f.shape)
		}
	}
}

func (c *ServiceConfig) unknownKey(n *node, s *shape, m *member) {
	if isRemark(m.key) || c.refusedKeys[m.keyStart] {
		return
	}
	p := c.ineffective(nil, "%s", "")
	p.Start, p.End = m.keyStart, m.keyStop
	what := fmt.Sprintf("grpc-go does not know the key %q here and ignores it with all that it says", m.key)
	if i := slices.IndexFunc(unimplemented, func(k string) bool { return strings.EqualFold(k, m.key) }); i >= 0 {
		p.Message = fmt.Sprintf("grpc-go does not implement %s and ignores it with all that it says: use retryPolicy, or a timeout", unimplemented[i])
		if strings.EqualFold(m.key, "hedgingPolicy") {
			p.Message = "grpc-go does not implement hedging and ignores hedgingPolicy with all that it says: use retryPolicy"
		}
		return
	}
	for _, h := range homes {
		if f := h.of.find(m.key); f != nil && h.of != s {
			p.Message = fmt.Sprintf("%s: %s belongs %s", what, f.key, h.where)
			return
		}
	}
	meant := c.words.meant(s, m.key)
	if meant == "" {
		for _, h := range homes {
			if f := c.words.meant(h.of, m.key); f != "" && h.of != s {
				p.Message = fmt.Sprintf("%s: did you mean %s, which belongs %s?", what, f, h.where)
				return
			}
		}
		p.Message = what
		return
	}
	p.Message = fmt.Sprintf("%s: the key is %s", what, meant)
	if n.get(meant) == nil {
		p.Fix = "Write " + meant
		p.mend(m.keyStart, m.keyStop, strconv.Quote(meant))
	}
}

func (c *ServiceConfig) sortProblems() {
	slices.SortStableFunc(c.Problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
	})
}
