package retry

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// LibraryPolicy is how a library function or client retries.
type LibraryPolicy struct {
	// Func is the function's full name as go/types prints it, or the client's
	// package and type, either of which may have a * in it.
	Func string
	// Fn is the argument that is called again, counting the receiver; -1 for
	// clients.
	Fn int
	// Count is the argument that is the count, likewise; -1 for none.
	Count int
	// Set names what sets the count, in the policy's own module: options,
	// wrappers, builders, constructors.
	Set []string
	// Fields are the TYPE.FIELD that set a client's count.
	Fields []string
	// Off names what turns a client's retries off, Custom what replaces them.
	Off, Custom []string
	// Retries says that the count leaves the first attempt out.
	Retries bool
	Default Attempts
	// Zero and Negative are what such counts mean.
	Zero, Negative Attempts
	// On is what is retried, if the mark in Needs is there and that in Stop
	// is not.
	On          ErrorSet
	Needs, Stop string
	// Strips says that marks are taken off what is returned.
	Strips bool
	// Whole says that a client's methods without a context retry too.
	Whole bool
	// Answers says that only those that return more than an error do.
	Answers bool
	// Endless names what takes the bound away, such as a backoff that never
	// stops, if nothing sets a count.
	Endless []string
	// Poll says that the function is called again while it returns false and no
	// error: only what it keeps to itself is retried.
	Poll bool
	// Only names a client's methods that retry; nil for all.
	Only []string
	// Times is the TYPE.FIELD whose count multiplies with Default.
	Times string
	// NoWait says that attempts follow at once unless a wait is set.
	NoWait bool
}

// Multiplied is the count that a setting of n in the field Times means.
func (p *LibraryPolicy) Multiplied(n int64) Attempts {
	return p.Default.Mul(Exactly(int(max(n, 0)) + 1))
}

// Attempts is the count that a setting of n means.
func (p *LibraryPolicy) Attempts(n int64) Attempts {
	switch {
	case n == 0:
		return p.Zero
	case n < 0:
		return p.Negative
	case p.Retries:
		return Exactly(int(n) + 1)
	}
	return Exactly(int(n))
}

// Trap is a count that means something else than it says.
type Trap struct {
	// Name is the full name of the function that takes the count, or
	// PACKAGE.TYPE.FIELD.
	Name  string
	Value int64
	More  bool // larger ones mean the same
	Means string
}

// Is reports whether n is such a count.
func (t Trap) Is(n int64) bool { return n == t.Value || t.More && n > t.Value }

//go:embed policies.txt
var policiesText string

// policies is what policies.txt says.
type policies struct {
	funcs        map[string]*LibraryPolicy
	interceptors map[string]*LibraryPolicy
	clients      []*LibraryPolicy
	marks        map[string]string
	traps        map[string][]Trap
	codes        map[string]bool
}

var library = sync.OnceValue(func() *policies {
	p, err := parsePolicies("policies.txt", policiesText)
	if err != nil {
		panic(err) // the file is part of the program, and tested
	}
	return p
})

// FuncPolicy is the policy of a function that calls an argument again, by the
// full name of its origin, or nil.
func FuncPolicy(fullName string) *LibraryPolicy { return library().funcs[fullName] }

// InterceptorPolicy is the policy of a function that returns an interceptor of
// gRPC clients, by its full name, or nil.
func InterceptorPolicy(fullName string) *LibraryPolicy { return library().interceptors[fullName] }

// ClientPolicy is the policy of the methods of a type, or nil.
func ClientPolicy(pkg, typ string) *LibraryPolicy {
	for _, c := range library().clients {
		i := strings.LastIndexByte(c.Func, '.')
		if matches(c.Func[:i], pkg) && matches(c.Func[i+1:], typ) {
			return c
		}
	}
	return nil
}

// matches compares with a pattern, in which * stands for any text.
func matches(pattern, s string) bool {
	before, after, star := strings.Cut(pattern, "*")
	if !star {
		return pattern == s
	}
	return len(s) >= len(before)+len(after) && strings.HasPrefix(s, before) && strings.HasSuffix(s, after)
}

// Mark is the mark that a library function puts on the error it is given.
func Mark(fullName string) (string, bool) {
	m, ok := library().marks[fullName]
	return m, ok
}

// Traps lists what counts given to a function, or set in a field, mean.
func Traps(name string) []Trap { return library().traps[name] }

// TakesCodes reports whether the arguments of a function are gRPC codes to retry
// on.
func TakesCodes(fullName string) bool { return library().codes[fullName] }

// PolicySymbols lists every function, client and field that the table names,
// for the test that they exist.
func PolicySymbols() []string {
	var out []string
	p := library()
	for name := range p.funcs {
		out = append(out, name)
	}
	for name := range p.interceptors {
		out = append(out, name)
	}
	for name := range p.marks {
		out = append(out, name)
	}
	for name := range p.traps {
		out = append(out, name)
	}
	for name := range p.codes {
		out = append(out, name)
	}
	for _, c := range p.clients {
		out = append(out, c.Func)
	}
	return out
}

// Declared is the policy of a function that its owner says retries: whatever the
// error is, as often as attempts or the argument count says.
func Declared(fullName string, fn, count int, attempts string) *LibraryPolicy {
	n, err := parseAttempts(attempts)
	if err != nil {
		n = Unknown()
	}
	return &LibraryPolicy{Func: fullName, Fn: fn, Count: count, Default: n, Zero: Exactly(0), Negative: Exactly(0), On: AnyError}
}

func parsePolicies(file, text string) (*policies, error) {
	p := &policies{funcs: map[string]*LibraryPolicy{}, interceptors: map[string]*LibraryPolicy{}, marks: map[string]string{}, traps: map[string][]Trap{}, codes: map[string]bool{}}
	n := 0
	for line := range strings.Lines(text) {
		n++
		line, _, _ = strings.Cut(strings.TrimSpace(line), "#")
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if err := p.parseLine(line); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, n, err)
		}
	}
	return p, nil
}

func (p *policies) parseLine(line string) error {
	kind, rest, _ := strings.Cut(line, " ")
	name, attrs, _ := strings.Cut(strings.TrimSpace(rest), " ")
	if name == "" {
		return fmt.Errorf("%s without a name", kind)
	}
	switch kind {
	case "mark":
		p.marks[name] = strings.TrimSpace(attrs)
		return nil
	case "codes":
		if attrs != "" {
			return fmt.Errorf("%s: codes has no attributes", name)
		}
		p.codes[name] = true
		return nil
	case "trap":
		return p.parseTrap(name, strings.TrimSpace(attrs))
	case "do", "client", "intercept":
		pol, err := parsePolicy(name, strings.Fields(attrs))
		if err != nil {
			return err
		}
		if kind == "client" {
			if pol.Fn >= 0 {
				return fmt.Errorf("a client has no fn")
			}
			p.clients = append(p.clients, pol)
			return nil
		}
		if kind == "intercept" {
			p.interceptors[name] = pol
			return nil
		}
		if pol.Fn < 0 {
			return fmt.Errorf("do without fn")
		}
		if p.funcs[name] != nil {
			return fmt.Errorf("a second line on %s", name)
		}
		p.funcs[name] = pol
		return nil
	}
	return fmt.Errorf("unknown kind %q: use do, intercept, mark, client, codes or trap", kind)
}

func (p *policies) parseTrap(name, attrs string) error {
	value, means, ok := strings.Cut(attrs, " ")
	value, isValue := strings.CutPrefix(value, "value=")
	value, more := strings.CutSuffix(value, "+")
	n, err := strconv.ParseInt(value, 10, 64)
	means, err2 := strconv.Unquote(strings.TrimSpace(means))
	if !ok || !isValue || err != nil || err2 != nil {
		return fmt.Errorf("a trap is written: trap NAME value=N \"what it means\", with N+ for N and more")
	}
	p.traps[name] = append(p.traps[name], Trap{name, n, more, means})
	return nil
}

func parsePolicy(name string, attrs []string) (*LibraryPolicy, error) {
	p := &LibraryPolicy{Func: name, Fn: -1, Count: -1, Default: Unknown(), Negative: Exactly(1), On: AnyError}
	zero, negative := "never", "one"
	for _, a := range attrs {
		key, value, _ := strings.Cut(a, "=")
		var err error
		switch key {
		case "fn":
			p.Fn, err = strconv.Atoi(value)
		case "set":
			p.Set = strings.Split(value, ",")
		case "endless":
			p.Endless = strings.Split(value, ",")
		case "poll":
			p.Poll = true
		case "only":
			p.Only = strings.Split(value, ",")
		case "times":
			p.Times = value
		case "field":
			p.Fields = strings.Split(value, ",")
		case "off":
			p.Off = strings.Split(value, ",")
		case "custom":
			p.Custom = strings.Split(value, ",")
		case "unit":
			p.Retries = value == "retries"
			if !p.Retries && value != "attempts" {
				err = fmt.Errorf("unknown unit %q: use attempts or retries", value)
			}
		case "default":
			p.Default, err = parseAttempts(value)
		case "zero":
			zero = value
		case "neg":
			if negative = value; value != "one" && value != "default" {
				err = fmt.Errorf("unknown neg %q: use one or default", value)
			}
		case "on":
			p.On, err = parseErrors(value)
		case "needs":
			p.Needs = value
		case "stop":
			p.Stop = value
		case "whole":
			p.Whole = true
		case "answers":
			p.Answers = true
		case "strips":
			p.Strips = true
		case "wait":
			if value != "none" {
				err = fmt.Errorf("unknown wait %q: use none", value)
			}
			p.NoWait = true
		default:
			err = fmt.Errorf("unknown attribute %q", key)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	if negative == "default" {
		p.Negative = p.Default
	}
	switch zero {
	case "never":
		p.Zero = Exactly(0)
	case "one":
		p.Zero = Exactly(1)
	case "inf":
		p.Zero = Unbounded()
	case "default":
		p.Zero = p.Default
	default:
		return nil, fmt.Errorf("%s: unknown zero %q: use never, one, inf or default", name, zero)
	}
	return p, nil
}

// parseErrors reads "plain" for errors without a status, or codes by their names
// in service configs.
func parseErrors(list string) (ErrorSet, error) {
	var s ErrorSet
	for name := range strings.SplitSeq(list, ",") {
		c, ok := codeByName(name)
		if name == "plain" {
			c, ok = Plain, true
		}
		if !ok {
			return 0, fmt.Errorf("unknown on %q: use plain or codes such as UNAVAILABLE", name)
		}
		s |= Errors(c)
	}
	return s, nil
}

func parseAttempts(s string) (Attempts, error) {
	switch s {
	case "inf":
		return Unbounded(), nil
	case "?":
		return Unknown(), nil
	}
	low, high, isRange := strings.Cut(s, "-")
	least, err := strconv.Atoi(low)
	if err != nil {
		return Attempts{}, fmt.Errorf("bad count %q: use N, N-M, inf or ?", s)
	}
	if !isRange {
		return Exactly(least), nil
	}
	most, err := strconv.Atoi(high)
	if err != nil || most < least {
		return Attempts{}, fmt.Errorf("bad count %q: use N, N-M, inf or ?", s)
	}
	return Between(least, most), nil
}
