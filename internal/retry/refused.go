package retry

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/ctxprop/ctxprop/internal/finding"
)

// add appends a problem at a value, or at the start of the text without one.
func (c *ServiceConfig) add(code finding.Code, severity finding.Severity, at *node, format string, args ...any) *Problem {
	p := Problem{Code: code, Severity: severity, Message: fmt.Sprintf(format, args...)}
	if at != nil {
		p.Start, p.End = at.start, at.end
	}
	c.Problems = append(c.Problems, p)
	return &c.Problems[len(c.Problems)-1]
}

// refuse adds a problem for which no client can be built with the config.
func (c *ServiceConfig) refuse(at *node, format string, args ...any) *Problem {
	c.Refused = true
	return c.add(finding.InvalidPolicy, finding.Error, at, format, args...)
}

// mend gives the problem an edit.
func (p *Problem) mend(start, end int, text string) {
	p.Edits = []Edit{{start, end, text}}
}

// refuseSyntax places an error of package encoding/json, whose offset counts
// the bytes that it has read.
func (c *ServiceConfig) refuseSyntax(err *json.SyntaxError) {
	at := min(max(int(err.Offset)-1, 0), len(c.src))
	if strings.HasPrefix(err.Error(), "unexpected end") {
		at = len(c.src)
	}
	p := c.refuse(nil, "the service config is no JSON: %v%s", err, syntaxAdvice(c.src[:at], c.src[at:]))
	p.Start, p.End = at, min(at+1, len(c.src))
}

func syntaxAdvice(before, rest string) string {
	before = strings.TrimRightFunc(before, unicode.IsSpace)
	switch {
	case strings.HasPrefix(rest, "/") || strings.HasPrefix(rest, "#"):
		return "; JSON has no comments, take it out"
	case strings.HasSuffix(before, ",") && (strings.HasPrefix(rest, "}") || strings.HasPrefix(rest, "]")):
		return "; take the comma before it out"
	case strings.HasPrefix(rest, "'"):
		return "; strings are in double quotes"
	}
	return ""
}

// refuseTypes names every value that has not the type that grpc-go decodes it
// to. err is what package encoding/json says of the first.
func (c *ServiceConfig) refuseTypes(err error) {
	if c.tree.kind == array {
		c.refuse(c.tree, "a service config is an object, and this is an array, which grpc-go refuses: the list of choices that DNS records hold is chosen from before it gets there; give one config")
		return
	}
	c.checkShape(c.tree, field{"the service config", configShape})
	if !c.Refused { // the places are ours, but the verdict is the decoder's
		c.refuse(c.tree, "grpc-go refuses the service config: %v", err)
	}
}

// checkShape compares a value and all below it with its shape.
func (c *ServiceConfig) checkShape(n *node, f field) {
	switch f.is {
	case isAnything:
		return
	case isDuration, isDurationOrNull:
		c.checkDuration(n, f)
		return
	}
	if n.kind == null {
		return
	}
	switch f.is {
	case isObject:
		if n.kind != object {
			c.refuseKind(n, f.key, "an object")
		}
		for _, m := range n.members {
			if known := f.find(m.key); known != nil {
				c.checkShape(m.value, *known)
			}
		}
	case isArray:
		if n.kind != array {
			p := c.refuseKind(n, f.key, "an array")
			if n.kind == object || f.elem.is == isCode {
				p.mend(n.start, n.end, "["+c.src[n.start:n.end]+"]")
			}
		}
		for _, e := range n.elems {
			c.checkShape(e, field{"an element of " + f.key, f.elem})
		}
	case isString:
		if n.kind != text {
			c.refuseKind(n, f.key, "a string")
		}
	case isBool:
		if n.kind != boolean {
			p := c.refuseKind(n, f.key, "true or false")
			if n.str == "true" || n.str == "false" {
				p.mend(n.start, n.end, n.str)
			}
		}
	case isInteger:
		c.checkInteger(n, f)
	case isFloat:
		c.checkFloat(n, f)
	case isCode:
		c.checkCode(n)
	}
}

func (c *ServiceConfig) refuseKind(n *node, key, want string) *Problem {
	return c.refuse(n, "%s is %s, and grpc-go takes %s only: with this no client can be built", key, c.say(n), want)
}

// say is how messages call a value: as it stands if it is short.
func (c *ServiceConfig) say(n *node) string {
	if src := c.src[n.start:n.end]; n.kind != object && n.kind != array && len(src) <= 40 {
		return src
	}
	return kindNames[n.kind]
}

func (c *ServiceConfig) checkInteger(n *node, f field) {
	if n.kind == number {
		if _, err := strconv.ParseInt(c.src[n.start:n.end], 10, 64); err == nil {
			return
		}
	}
	p := c.refuseKind(n, f.key, "an integer")
	digits := n.str
	if n.kind == number {
		digits = c.src[n.start:n.end]
	}
	if x, err := strconv.ParseFloat(digits, 64); err == nil && x == float64(int32(x)) {
		p.mend(n.start, n.end, strconv.Itoa(int(x)))
	}
}

func (c *ServiceConfig) checkFloat(n *node, f field) {
	if n.kind == number {
		if _, err := strconv.ParseFloat(c.src[n.start:n.end], 64); err == nil {
			return
		}
	}
	p := c.refuseKind(n, f.key, "a number")
	if json.Valid([]byte(n.str)) {
		if _, err := strconv.ParseFloat(n.str, 64); err == nil {
			p.mend(n.start, n.end, n.str)
		}
	}
}

func (c *ServiceConfig) checkDuration(n *node, f field) {
	if n.kind == null && f.is == isDurationOrNull {
		return
	}
	if n.kind != text {
		c.refuse(n, "%s is %s, and grpc-go takes a string of decimal seconds only, such as \"0.1s\": with this no client can be built", f.key, c.say(n))
		return
	}
	if _, err := parseDuration(n.str); err == nil {
		return
	}
	p := c.refuse(n, "%s is %q, and grpc-go takes decimal seconds only, such as \"0.1s\": with this no client can be built", f.key, n.str)
	if d, err := time.ParseDuration(n.str); err == nil && d > 0 {
		p.mend(n.start, n.end, strconv.Quote(formatSeconds(d)))
	}
}

// readCode reads a status code as it stands in JSON: a name in upper case
// with its quotes, or a number.
func readCode(raw string) (code Class, ok bool) {
	if n, err := strconv.ParseUint(raw, 10, 32); err == nil {
		return Class(n), n <= uint64(Unauthenticated)
	}
	if len(raw) < 2 || raw[0] != '"' {
		return 0, false
	}
	return codeByName(raw[1 : len(raw)-1])
}

func (c *ServiceConfig) checkCode(n *node) {
	raw := c.src[n.start:n.end]
	if _, ok := readCode(raw); ok {
		return
	}
	meant := codeMeant(n)
	if meant == "" {
		c.refuse(n, "%s is no status code, so no client can be built with this: codes are names such as UNAVAILABLE, or numbers from 0 to 16", c.say(n))
		return
	}
	p := c.refuse(n, "%s is no status code to grpc-go, which takes names in upper case only, so no client can be built with this: write %s", c.say(n), meant)
	p.mend(n.start, n.end, meant)
}

// codeMeant is the code, as it is to stand in JSON, that a string was meant
// to be, or "".
func codeMeant(n *node) string {
	if n.kind != text {
		return ""
	}
	if num, err := strconv.Atoi(n.str); err == nil {
		if num < 0 || num > int(Unauthenticated) {
			return ""
		}
		return strconv.Itoa(num)
	}
	plain := strings.ToUpper(plainName(n.str))
	if plain == "CANCELED" { // as the constant in Go and most of the world spell it
		plain = "CANCELLED"
	}
	for _, name := range codeNames {
		if strings.ReplaceAll(name, "_", "") == plain {
			return strconv.Quote(name)
		}
	}
	if near := nearest(n.str, codeNames[:]); near != "" {
		return strconv.Quote(near)
	}
	return ""
}

// plainName is a name without the separators that spellings differ in.
func plainName(s string) string {
	return strings.NewReplacer("_", "", "-", "", " ", "").Replace(s)
}

// checkPolicy checks what grpc-go checks of a retryPolicy.
func (c *ServiceConfig) checkPolicy(p *wirePolicy, n *node) {
	if p == nil {
		return
	}
	for _, need := range []struct {
		key  string
		ok   bool
		want string
	}{
		{"maxAttempts", p.MaxAttempts > 1, "2 or more, the first try included"},
		{"initialBackoff", p.InitialBackoff > 0, "more than 0s"},
		{"maxBackoff", p.MaxBackoff > 0, "more than 0s"},
		{"backoffMultiplier", p.BackoffMultiplier > 0, "more than 0"},
		{"retryableStatusCodes", len(p.RetryableStatusCodes) > 0, "at least one code"},
	} {
		if need.ok {
			continue
		}
		if at := n.get(need.key); at != nil && at.kind != null {
			c.refuse(at, "%s of a retryPolicy has to be %s: with %s no client can be built", need.key, need.want, c.say(at))
			continue
		}
		if m := c.misspelt(n, policyShape, need.key); m != nil {
			c.refuseKey(m, need.key)
			continue
		}
		c.refuse(n, "retryPolicy has no %s, without which no client can be built: it has to be %s", need.key, need.want)
	}
}

// misspelt finds the member that was probably meant to be the key.
func (c *ServiceConfig) misspelt(n *node, s *shape, key string) *member {
	if n == nil {
		return nil
	}
	for i, m := range n.members {
		if s.find(m.key) == nil && c.words.meant(s, m.key) == key {
			return &n.members[i]
		}
	}
	return nil
}

// refuseKey is about a key that is not read, where the right one is needed.
func (c *ServiceConfig) refuseKey(m *member, key string) {
	p := c.refuse(nil, "grpc-go does not know %q, and without %s no client can be built: the key is %s", m.key, key, key)
	p.Start, p.End = m.keyStart, m.keyStop
	p.mend(m.keyStart, m.keyStop, strconv.Quote(key))
	c.refusedKeys[m.keyStart] = true
}

// checkThrottle checks what grpc-go checks of retryThrottling, if there is a
// methodConfig.
func (c *ServiceConfig) checkThrottle(t *Throttle) {
	n := c.tree.get("retryThrottling")
	for _, need := range []struct {
		key  string
		ok   bool
		want string
	}{
		{"maxTokens", t.MaxTokens > 0 && t.MaxTokens <= 1000, "more than 0 and at most 1000"},
		{"tokenRatio", t.TokenRatio > 0, "more than 0"},
	} {
		if need.ok {
			continue
		}
		if at := n.get(need.key); at != nil && at.kind != null {
			c.refuse(at, "%s of retryThrottling has to be %s: with %s no client can be built", need.key, need.want, c.say(at))
		} else if m := c.misspelt(n, throttleShape, need.key); m != nil {
			c.refuseKey(m, need.key)
		} else {
			c.refuse(n, "retryThrottling has no %s, without which no client can be built: it has to be %s", need.key, need.want)
		}
	}
}

// balancers are those that every gRPC client has; whether others are linked
// into the program cannot be told.
const pickFirst, roundRobin = "pick_first", "round_robin"

// checkBalancers does what grpc-go does with loadBalancingConfig: the first
// policy that the program has decides.
func (c *ServiceConfig) checkBalancers(wire *wireConfig) {
	if wire.LoadBalancingConfig == nil {
		return
	}
	n := c.tree.get("loadBalancingConfig")
	var list []map[string]json.RawMessage
	if err := json.Unmarshal(*wire.LoadBalancingConfig, &list); err != nil {
		c.refuse(n, "loadBalancingConfig has to be an array of objects, such as [{\"round_robin\": {}}]: with this no client can be built")
		return
	}
	for i, e := range list {
		if len(e) != 1 {
			// One before it may be linked in, and then this is not looked at.
			if !c.Balancer {
				c.refuse(n.at(i), "an element of loadBalancingConfig has to have one policy, and this has %d: with it no client can be built", len(e))
			}
			return
		}
		switch raw, first := e[pickFirst]; {
		case first:
			var settings struct {
				ShuffleAddressList bool `json:"shuffleAddressList"`
			}
			if json.Unmarshal(raw, &settings) != nil && !c.Balancer {
				c.refuse(n.at(i), "pick_first takes shuffleAddressList, true or false: with this no client can be built")
			}
			return
		case e[roundRobin] != nil:
			return
		}
		c.Balancer = true
	}
	if !c.Balancer {
		c.refuse(n, "loadBalancingConfig names no policy: with this no client can be built")
	}
}
