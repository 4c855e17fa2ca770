package catalog

import (
	"errors"
	"fmt"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// Pos is where a line stands: the name of a table or flag, and a line number.
type Pos struct {
	Origin string
	Line   int
}

func (p Pos) String() string { return p.Origin + ":" + strconv.Itoa(p.Line) }

// table is the parsed form of one text, in the order of its lines.
type table struct {
	entries   []Entry
	roots     []Root
	services  []Service
	providers []Provider
}

// parse reads a text of lines. The error joins one error per bad line.
func parse(origin, text string) (table, error) {
	var (
		t    table
		errs []error
		line int
	)
	for physical := range strings.SplitSeq(text, "\n") {
		if at, ok := lineDirective(physical); ok {
			origin, line = at.Origin, at.Line-1
			continue
		}
		line++
		for _, statement := range statements(physical) {
			pos := Pos{origin, line}
			if err := t.parseStatement(pos, statement); err != nil {
				errs = append(errs, fmt.Errorf("%v: %w", pos, err))
			}
		}
	}
	return t, errors.Join(errs...)
}

// LineDirective is a line after which a text goes on as if it stood at p: with
// lines from several places, messages still name where each was written.
func LineDirective(p Pos) string { return fmt.Sprintf("#line %v\n", p) }

func lineDirective(physical string) (Pos, bool) {
	at, ok := strings.CutPrefix(physical, "#line ")
	i := strings.LastIndexByte(at, ':')
	if !ok || i < 0 {
		return Pos{}, false
	}
	line, err := strconv.Atoi(at[i+1:])
	return Pos{at[:i], line}, err == nil && line > 0
}

// statements splits a physical line at semicolons and drops its comment.
// Neither counts inside a quoted string.
func statements(line string) []string {
	var (
		parts  []string
		start  int
		quoted bool
	)
	end := len(line)
scan:
	for i := range len(line) {
		switch c := line[i]; {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == ';':
			parts = append(parts, line[start:i])
			start = i + 1
		case c == '#' && (i == start || isSpace(line[i-1])):
			end = i
			break scan
		}
	}
	parts = append(parts, line[start:end])
	return slices.DeleteFunc(parts, func(s string) bool { return strings.TrimSpace(s) == "" })
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' }

// nextWord cuts the first word off. Spaces inside a quoted string belong to it.
func nextWord(text string) (word, rest string) {
	text = strings.TrimLeft(text, " \t\r")
	quoted := false
	for i := range len(text) {
		if text[i] == '"' {
			quoted = !quoted
		}
		if !quoted && isSpace(text[i]) {
			return text[:i], text[i:]
		}
	}
	return text, ""
}

func (t *table) parseStatement(pos Pos, statement string) error {
	word, rest := nextWord(statement)
	switch word {
	case "root":
		root, err := parseRoot(rest)
		root.Pos = pos
		t.roots = append(t.roots, root)
		return err
	case "service":
		service, err := parseService(rest)
		service.Pos = pos
		t.services = append(t.services, service)
		return err
	case "provider":
		provider, err := parseProvider(rest)
		provider.Pos = pos
		t.providers = append(t.providers, provider)
		return err
	}
	kind, ok := kindNamed(word)
	if !ok {
		return fmt.Errorf("unknown kind %q: use one of %s, root, service, provider", word, Verbs())
	}
	entry, err := parseEntry(kind, rest)
	entry.Pos = pos
	t.entries = append(t.entries, entry)
	return err
}

// Verbs lists the kinds in words, for errors.
func Verbs() string {
	var names []string
	for _, k := range kinds[Fresh:] {
		names = append(names, k.name)
	}
	return strings.Join(names, ", ")
}

func parseEntry(kind Kind, rest string) (Entry, error) {
	word, rest := nextWord(rest)
	if word == "" {
		return Entry{}, fmt.Errorf("%v needs a symbol, such as net/http.NewRequest or (*net/http.Client).Do", kind)
	}
	symbol, err := parseSymbol(word)
	if err != nil {
		return Entry{}, err
	}
	if symbol.Wide() && !kinds[kind].wide {
		return Entry{}, fmt.Errorf("%v needs one function, not %v: only quiet, block and twin lines can name a whole type or package", kind, symbol)
	}
	e := Entry{Symbol: symbol, Kind: kind, Ctx: Deduced, Fn: Deduced, Count: None}
	if err := e.parseAttributes(rest); err != nil {
		return Entry{}, err
	}
	switch {
	case kind != Retry:
	case e.Attempts != "" && e.Count != None:
		return Entry{}, errors.New("attempts= and count= say the same: write one of them")
	case e.Attempts == "":
		e.Attempts = unknownAttempts
	}
	if symbol.Wide() && (e.Ctx != Deduced || e.Fn != Deduced) {
		return Entry{}, fmt.Errorf("ctx= and fn= need one function, not %v", symbol)
	}
	if kind == Twin && symbol.Wide() != strings.Contains(e.Use, wildcard) {
		return Entry{}, fmt.Errorf("use=%s does not fit %v: write a * for the function's name where the line is about many, use=*Context, and only there", e.Use, symbol)
	}
	return e, nil
}

func (e *Entry) parseAttributes(rest string) error {
	var seen attribute
	for word, rest := nextWord(rest); word != ""; word, rest = nextWord(rest) {
		name, value, valued := strings.Cut(word, "=")
		attr := attributeNames[name]
		switch {
		case attr == 0:
			return fmt.Errorf("unknown attribute %q: %s", word, e.Kind.attributes())
		case attr&kinds[e.Kind].allowed == 0:
			return fmt.Errorf("attribute %q is not for %v lines: %s", name, e.Kind, e.Kind.attributes())
		case attr&seen != 0:
			return fmt.Errorf("attribute %q is given twice: remove one", name)
		case valued && attr&flagAttributes != 0:
			return fmt.Errorf("attribute %q takes no value: write just %[1]s", name)
		case value == "" && attr&flagAttributes == 0:
			return fmt.Errorf("attribute %q needs a value: write %[1]s=…", name)
		}
		seen |= attr
		if err := e.set(attr, value); err != nil {
			return err
		}
	}
	if missing := kinds[e.Kind].required &^ seen; missing != 0 {
		return fmt.Errorf("%v needs %s", e.Kind, attributeList(missing))
	}
	return nil
}

func (e *Entry) set(attr attribute, value string) (err error) {
	switch attr {
	case attrBounded:
		e.Bounded = true
	case attrValues:
		e.Values = true
	case attrWrite:
		e.Write = true
	case attrJoin:
		e.Join = true
	case attrClass:
		e.Class, err = parseClass(value)
	case attrCtx:
		e.Ctx, err = parseContextArg(value)
	case attrFn:
		e.Fn, err = parseIndex("fn", value)
	case attrAttempts:
		e.Attempts, err = value, checkAttempts(value)
	case attrCount:
		e.Count, err = parseIndex("count", value)
	case attrUse:
		e.Use, err = value, checkSibling(value)
	case attrWait:
		if e.Wait = value; !token.IsIdentifier(value) {
			err = fmt.Errorf("wait=%s is not the name of a method", value)
		}
	}
	return err
}

func parseClass(value string) (Class, error) {
	if c := Class(value); slices.Contains(classes, c) {
		return c, nil
	}
	var names []string
	for _, c := range classes {
		names = append(names, string(c))
	}
	return "", fmt.Errorf("unknown class %q: use one of %s", value, strings.Join(names, ", "))
}

func parseContextArg(value string) (int, error) {
	if value != "recv" {
		return parseIndex("ctx", value)
	}
	return Receiver, nil
}

// maxIndex is far above any real parameter list; it keeps a typing error from
// becoming an index.
const maxIndex = 99

func parseIndex(name, value string) (int, error) {
	n, err := strconv.ParseUint(value, 10, 8)
	if err != nil || n > maxIndex {
		return 0, fmt.Errorf("%s=%s is not the index of a parameter: count from 0, without the receiver", name, value)
	}
	return int(n), nil
}

// unknownAttempts is what a retry line without a count says.
const unknownAttempts = "?"

func checkAttempts(value string) error {
	low, high, isRange := strings.Cut(value, "-")
	least, err := strconv.Atoi(low)
	most, err2 := least, error(nil)
	if isRange {
		most, err2 = strconv.Atoi(high)
	}
	if value == "inf" || value == unknownAttempts || err == nil && err2 == nil && 1 <= least && least <= most {
		return nil
	}
	return fmt.Errorf("attempts=%s is no count of attempts: write N, N-M, inf, or ? where it is not known", value)
}

func checkSibling(value string) error {
	typ, name, ok := strings.Cut(value, ".")
	if !ok {
		name = typ
	}
	before, after, pattern := strings.Cut(value, wildcard)
	if token.IsIdentifier(typ) && token.IsIdentifier(name) || pattern && token.IsIdentifier(before+after) {
		return nil
	}
	return fmt.Errorf("use=%s is malformed: write the name of a method of the same receiver or of a function of the same package, or TYPE.NAME", value)
}
