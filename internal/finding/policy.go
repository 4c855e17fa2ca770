package finding

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ctxprop/ctxprop/internal/spell"
)

// Level is what a policy makes of a code: nothing, silence, or a severity.
type Level string

// The levels beside the names of severities.
const (
	On  Level = "on"  // as the table of codes has it
	Off Level = "off" // not reported
)

// Levels are all levels, for messages and schemas.
var Levels = []Level{Off, On, "info", "warning", "error"}

// ParseLevel reads one of Levels.
func ParseLevel(text string) (Level, error) {
	if l := Level(text); slices.Contains(Levels, l) {
		return l, nil
	}
	return "", fmt.Errorf("unknown level %q: use off, on, info, warning or error", text)
}

// AllCodes stands for every code in the text of a policy.
const AllCodes = "all"

// ParseCode reads a code of the table, or AllCodes, which is the zero Code. The
// error proposes the code that was probably meant.
func ParseCode(text string) (Code, error) {
	if text == AllCodes {
		return "", nil
	}
	names := []string{AllCodes}
	for _, r := range rules {
		switch {
		case string(r.Code) == text:
			return r.Code, nil
		case strings.EqualFold(r.Name, text) || strings.EqualFold(string(r.Code), text):
			return "", fmt.Errorf("unknown code %q: write %s", text, r.Code)
		}
		names = append(names, string(r.Code))
	}
	if near := spell.Nearest(text, names); near != "" {
		return "", fmt.Errorf("unknown code %q; did you mean %s?", text, near)
	}
	return "", fmt.Errorf("unknown code %q: use one of the table, such as CTX101, or all", text)
}

// PolicyRule sets the level of a code.
type PolicyRule struct {
	Code  Code // of all codes if empty
	Level Level
	// Glob says in which files, everywhere if empty; see CheckGlob.
	Glob string
}

func (r PolicyRule) String() string {
	code := string(r.Code)
	if code == "" {
		code = AllCodes
	}
	text := code + "=" + string(r.Level)
	if r.Glob != "" {
		text += "@" + r.Glob
	}
	return text
}

// Policy is a list of rules, of which the last one that matches a finding holds.
type Policy []PolicyRule

func (p Policy) String() string {
	var rules []string
	for _, r := range p {
		rules = append(rules, r.String())
	}
	return strings.Join(rules, ",")
}

// ParsePolicy reads rules such as CTX203=off or all=info@internal/legacy/**,
// separated by commas.
func ParsePolicy(text string) (Policy, error) {
	var p Policy
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		r, err := parsePolicyRule(part)
		if err != nil {
			return nil, err
		}
		p = append(p, r)
	}
	return p, nil
}

func parsePolicyRule(text string) (r PolicyRule, err error) {
	head, glob, in := strings.Cut(text, "@")
	code, level, ok := strings.Cut(head, "=")
	if !ok {
		return r, fmt.Errorf("%q is no rule: write CODE=LEVEL, such as CTX203=off, or CODE=LEVEL@PATH", text)
	}
	if r.Code, err = ParseCode(code); err != nil {
		return r, err
	}
	if r.Level, err = ParseLevel(level); err != nil {
		return r, err
	}
	if r.Glob = glob; in {
		err = CheckGlob(glob)
	}
	return r, err
}

// CheckGlob checks a pattern for files: a path with slashes, in whose elements
// *, ? and [ ] match as in path.Match and in which the element ** matches any
// number of elements. A pattern that matches a folder takes in all below it. A
// pattern that is no absolute path may begin at any folder.
func CheckGlob(glob string) error {
	switch {
	case glob == "":
		return fmt.Errorf("a path is empty")
	case strings.Contains(glob, `\`):
		return fmt.Errorf("path %q has a backslash: write slashes on every system", glob)
	case strings.Contains(glob, ","):
		return fmt.Errorf("path %q has a comma, which separates rules: write ? for it, and two paths one by one", glob)
	case slices.Contains(strings.Split(glob, "/"), ".."):
		return fmt.Errorf("path %q leads upwards: write it from the folder that it is relative to", glob)
	}
	if _, err := path.Match(glob, ""); err != nil {
		return fmt.Errorf("path %q is malformed: a [ lacks its ]", glob)
	}
	return nil
}

// Severity is what the policy makes of a finding's severity. It is not shown at
// all if ok is false.
func (p Policy) Severity(f *Finding) (s Severity, ok bool) {
	for _, r := range slices.Backward(p) {
		if r.Code != "" && r.Code != f.ID.Code || !r.covers(f.Position.Filename) {
			continue
		}
		switch r.Level {
		case Off:
			return f.Severity, false
		case On:
			return f.Severity, true
		}
		s, err := ParseSeverity(string(r.Level))
		return s, err == nil
	}
	return f.Severity, true
}

func (r PolicyRule) covers(file string) bool {
	if r.Glob == "" {
		return true
	}
	glob := strings.TrimPrefix(r.Glob, "./")
	if !path.IsAbs(glob) && filepath.VolumeName(glob) == "" {
		glob = "**/" + glob
	}
	return globMatches(elements(glob), elements(filepath.ToSlash(file)))
}

func elements(name string) []string {
	return strings.FieldsFunc(name, func(r rune) bool { return r == '/' })
}

// globMatches reports whether the pattern matches the name or a folder of it.
func globMatches(pattern, name []string) bool {
	if len(pattern) == 0 {
		return true
	}
	if pattern[0] == "**" {
		return globMatches(pattern[1:], name) || len(name) > 0 && globMatches(pattern, name[1:])
	}
	if len(name) == 0 {
		return false
	}
	ok, _ := path.Match(pattern[0], name[0]) // checked by CheckGlob
	return ok && globMatches(pattern[1:], name[1:])
}

// Filter says which findings are shown.
type Filter struct {
	Least  Severity // and above
	Policy Policy   // decides the severity first
}

// Shows reports whether f is shown.
func (s Filter) Shows(f *Finding) bool {
	severity, ok := s.Policy.Severity(f)
	return ok && severity >= s.Least
}
