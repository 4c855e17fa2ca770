package retry

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/ctxprop/ctxprop/internal/finding"
)

// DefaultMaxCallAttempts is grpc-go's limit on maxAttempts, which
// grpc.WithMaxCallAttempts changes.
const DefaultMaxCallAttempts = 5

// Client is what a gRPC client is built with besides its service config.
type Client struct {
	// MaxCallAttempts is the argument of grpc.WithMaxCallAttempts; as there,
	// less than 2 means DefaultMaxCallAttempts.
	MaxCallAttempts int
	// LimitUnknown is set if that option may be used with a value that is not known.
	LimitUnknown bool
	// Methods are full names, such as /shop.v1.Stock/Get, of services of which
	// every method is listed. There may be other services.
	Methods []string
	// Only lists the services that are called on the connection, if all are known.
	Only []string
}

// limit is what maxAttempts is clamped to.
func (c Client) limit() int {
	if c.MaxCallAttempts < 2 {
		return DefaultMaxCallAttempts
	}
	return c.MaxCallAttempts
}

// ServiceConfig is a gRPC service config as grpc-go takes it.
type ServiceConfig struct {
	// Problems are in the order of the text.
	Problems []Problem
	// Refused is set if no client can be built with the config.
	Refused bool
	// Balancer is set if that depends on the balancers in the program:
	// loadBalancingConfig names none that is always there. Refused is then
	// what holds if one of those that it names is linked in.
	Balancer bool
	// Throttle is the budget of a connection, or nil.
	Throttle *Throttle

	entries []entry
	paths   map[string]int // of methods, services and "" for all, to entries
	client  Client
	tree    *node
	src     string
	words   *words
	// refusedKeys are the places of misspelt keys that are reported because
	// the right one is needed.
	refusedKeys map[int]bool
}

// Problem is one thing in a service config that is not what it seems.
type Problem struct {
	Code     finding.Code
	Severity finding.Severity
	// Start and End are the bytes of the text that it is about. They are equal
	// where something is missing.
	Start, End int
	Message    string // without the code; what grpc-go does and what to do
	Numeric    bool   // it follows from how large numbers are
	// Fix says what the edits do; without edits it is empty.
	Fix   string
	Edits []Edit
}

// Edit replaces bytes of a text.
type Edit struct {
	Start, End int
	New        string
}

// Apply makes the edits, which must not overlap and are in order.
func Apply(text string, edits []Edit) string {
	var b strings.Builder
	pos := 0
	for _, e := range edits {
		b.WriteString(text[pos:e.Start])
		b.WriteString(e.New)
		pos = e.End
	}
	b.WriteString(text[pos:])
	return b.String()
}

// Policy is the retry policy of a method.
type Policy struct {
	Attempts int      // with the limit applied
	Codes    ErrorSet // without OK, which is no failure
	Backoff  Backoff
}

// Layer is the policy in a nest. An exhausted policy wraps the last error with
// %w, so its code stays. The end of the client's own context is never retried.
func (p *Policy) Layer(throttle *Throttle) Layer {
	l := Layer{Attempts: Exactly(p.Attempts), Retries: p.Codes, Gives: Kept, Throttle: throttle}
	if p.Codes == 0 {
		l.Attempts = Exactly(1)
	}
	return l
}

// Method is what a service config says of one method.
type Method struct {
	Policy  *Policy       // nil for none
	Timeout time.Duration // of the call with all its attempts; 0 with HasTimeout is over at once
	// HasTimeout is set if there is a timeout that is obeyed.
	HasTimeout bool
}

// Method returns what holds for a method, named in full such as
// /shop.v1.Stock/Get: the entry of the method, else that of its service, else
// that of all. The first that is there counts as a whole. A config that is
// refused says nothing.
func (c *ServiceConfig) Method(fullMethod string) Method {
	if c.Refused {
		return Method{}
	}
	service := fullMethod[:strings.LastIndexByte(fullMethod, '/')+1]
	for _, path := range []string{fullMethod, service, ""} {
		if i, ok := c.paths[path]; ok {
			return c.entries[i].method
		}
	}
	return Method{}
}

// Services lists the services that the config has retry policies for; a policy
// for all methods is listed as "".
func (c *ServiceConfig) Services() []string {
	var names []string
	if c.Refused {
		return names
	}
	seen := map[string]bool{}
	for _, e := range c.entries {
		for _, n := range e.names {
			if e.method.Policy != nil && !seen[n.Service] {
				seen[n.Service] = true
				names = append(names, n.Service)
			}
		}
	}
	return names
}

// Most is the policy with the most attempts, and the service that it is for, ""
// for all; nil if there is none.
func (c *ServiceConfig) Most() (service string, most *Policy) {
	if c.Refused {
		return "", nil
	}
	for _, e := range c.entries {
		if p := e.method.Policy; p != nil && p.Codes != 0 && len(e.names) > 0 && (most == nil || p.Attempts > most.Attempts) {
			service, most = e.names[0].Service, p
		}
	}
	return service, most
}

// entry is an element of methodConfig that has a name.
type entry struct {
	names  []wireName
	method Method
	node   *node
}

// The wire types decode a config with package encoding/json, as grpc-go does:
// keys match in any case, unknown ones are ignored, and of a key that is there
// twice the values are merged.
type (
	wireConfig struct {
		LoadBalancingPolicy *string
		LoadBalancingConfig *json.RawMessage
		MethodConfig        *[]wireEntry
		RetryThrottling     *Throttle
		HealthCheckConfig   *struct{ ServiceName string }
	}
	wireEntry struct {
		Name                    *[]wireName
		WaitForReady            *bool
		Timeout                 *jsonDuration
		MaxRequestMessageBytes  *int64
		MaxResponseMessageBytes *int64
		RetryPolicy             *wirePolicy
	}
	wireName   struct{ Service, Method string }
	wirePolicy struct {
		MaxAttempts                int
		InitialBackoff, MaxBackoff jsonDuration
		BackoffMultiplier          float64
		RetryableStatusCodes       []wireCode
	}
	wireCode Class
)

// UnmarshalJSON takes the names of codes in upper case, and numbers. null
// leaves the code alone, which is OK then.
func (c *wireCode) UnmarshalJSON(b []byte) error {
	switch code, ok := readCode(string(b)); {
	case ok:
		*c = wireCode(code)
	case string(b) != "null":
		return fmt.Errorf("no status code: %s", b)
	}
	return nil
}

// path is the key under which a method's config is kept. ok is false for a
// method without a service, which is refused.
func (n wireName) path() (path string, ok bool) {
	if n.Service == "" {
		return "", n.Method == ""
	}
	return "/" + n.Service + "/" + n.Method, true
}

// ParseServiceConfig reads a service config for a client.
func ParseServiceConfig(src string, client Client) *ServiceConfig {
	c := read(src, client, &words{services: servicesOf(client.Methods)})
	c.mend()
	return c
}

// read is ParseServiceConfig without the fixes that have to be tried out.
func read(src string, client Client, words *words) *ServiceConfig {
	c := &ServiceConfig{client: client, src: src, words: words, paths: map[string]int{}, refusedKeys: map[int]bool{}}
	if src == "" {
		c.refuse(nil, "the service config is empty, which grpc-go refuses: write {} for one that says nothing")
		return c
	}
	tree, syntax := parseTree(src)
	if syntax != nil {
		c.refuseSyntax(syntax)
		return c
	}
	c.tree = tree
	var wire wireConfig
	if err := json.Unmarshal([]byte(src), &wire); err != nil {
		c.refuseTypes(err)
		return c
	}
	c.convert(&wire)
	if !c.Refused {
		c.findIneffective(&wire)
	}
	c.findUnknownKeys()
	c.sortProblems()
	return c
}

// convert checks what has the right types, and keeps what it says.
func (c *ServiceConfig) convert(wire *wireConfig) {
	c.checkBalancers(wire)
	if wire.MethodConfig == nil {
		return
	}
	list := c.tree.get("methodConfig")
	for i, e := range *wire.MethodConfig {
		if e.Name == nil {
			continue // skipped with all that it says
		}
		c.addEntry(e, list.at(i))
	}
	if t := wire.RetryThrottling; t != nil {
		c.checkThrottle(t)
		c.Throttle = t
	}
}

func (c *ServiceConfig) addEntry(e wireEntry, n *node) {
	c.checkPolicy(e.RetryPolicy, n.get("retryPolicy"))
	m := Method{Policy: c.policy(e.RetryPolicy)}
	if e.Timeout != nil && *e.Timeout >= 0 {
		m.Timeout, m.HasTimeout = time.Duration(*e.Timeout), true
	}
	c.entries = append(c.entries, entry{*e.Name, m, n})
	for i, name := range *e.Name {
		path, ok := name.path()
		at := n.get("name").at(i)
		if !ok {
			c.refuse(at, "this name has a method and no service, which grpc-go refuses: add the service")
			continue
		}
		if _, twice := c.paths[path]; twice {
			c.refuse(at, "%s is named twice, which grpc-go refuses: keep one entry for it", nameText(name))
			continue
		}
		c.paths[path] = len(c.entries) - 1
	}
}

// nameText is how messages call what a name matches.
func nameText(n wireName) string {
	switch {
	case n.Service == "":
		return "the default for all methods"
	case n.Method == "":
		return "service " + n.Service
	}
	return "method " + n.Service + "/" + n.Method
}

func (c *ServiceConfig) policy(p *wirePolicy) *Policy {
	if p == nil {
		return nil
	}
	out := &Policy{
		Attempts: min(p.MaxAttempts, c.client.limit()),
		Backoff: Backoff{
			Initial: time.Duration(p.InitialBackoff), Max: time.Duration(p.MaxBackoff),
			Multiplier: p.BackoffMultiplier, Low: grpcLow, High: grpcHigh,
		},
	}
	for _, code := range p.RetryableStatusCodes {
		out.Codes |= Errors(Class(code))
	}
	out.Codes = out.Codes.Minus(Errors(OK))
	return out
}
