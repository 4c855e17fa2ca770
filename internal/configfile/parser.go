package configfile

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/ctxprop/ctxprop/internal/catalog"
	"github.com/ctxprop/ctxprop/internal/finding"
	"github.com/ctxprop/ctxprop/internal/spell"
)

// parser walks over the nodes of a file, which have line numbers, and collects
// all that is wrong with it.
type parser struct {
	shown string
	dir   string
	// hosted is set if the nodes are made from values that another program has
	// read: they have no lines, and keys may have lost their case.
	hosted bool
	file   *File
	errs   []error
}

func (p *parser) complain(n *yaml.Node, format string, args ...any) {
	at := p.shown
	if !p.hosted {
		at += ":" + strconv.Itoa(n.Line)
	}
	p.errs = append(p.errs, fmt.Errorf("%s: %s", at, fmt.Sprintf(format, args...)))
}

// syntax words an error of the YAML library in text. Most have their line number
// inside; the others are about an anchor or about the end.
func (p *parser) syntax(err error, text string) error {
	what := strings.TrimPrefix(err.Error(), "yaml: ")
	if at, ok := strings.CutPrefix(what, "line "); ok {
		if line, what, ok := strings.Cut(at, ": "); ok {
			return fmt.Errorf("%s:%s: %s", p.shown, line, what)
		}
	}
	before := strings.TrimRight(text, "\n")
	if _, quoted, ok := strings.Cut(what, "unknown anchor '"); ok {
		name, _, _ := strings.Cut(quoted, "'")
		before, _, _ = strings.Cut(text, "*"+name)
	}
	return fmt.Errorf("%s:%d: %s", p.shown, 1+strings.Count(before, "\n"), what)
}

// entries calls f for the entries of a mapping, each key once.
func (p *parser) entries(n *yaml.Node, what string, f func(key, value *yaml.Node)) {
	if n = resolve(n); n.Kind != yaml.MappingNode {
		p.complain(n, "%s", strings.TrimSpace(what+" wants a mapping, KEY: VALUE on lines of their own"))
		return
	}
	first := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := resolve(n.Content[i])
		if key.Kind != yaml.ScalarNode {
			p.complain(key, "a key is one word")
			continue
		}
		if line, ok := first[key.Value]; ok {
			p.complain(key, "%s is set on line %d already: remove one of them", key.Value, line)
			continue
		}
		first[key.Value] = key.Line
		f(key, resolve(n.Content[i+1]))
	}
}

// mapping reads a mapping whose keys are known.
func (p *parser) mapping(n *yaml.Node, what string, keys []key) {
	p.entries(n, what, func(name, value *yaml.Node) {
		var names []string
		for _, k := range keys {
			switch {
			case k.name == name.Value && p.hosted && k.host != "":
				p.complain(name, "%s is no key here: use %s", k.name, k.host)
				return
			case k.name == name.Value:
				k.read(p, value)
				return
			case !p.hosted || k.host == "":
				names = append(names, k.name)
			}
		}
		if near := spell.Nearest(name.Value, names); near != "" {
			p.complain(name, "unknown key %q; did you mean %s?", name.Value, near)
			return
		}
		p.complain(name, "unknown key %q: use one of %s", name.Value, strings.Join(names, ", "))
	})
}

// text is a scalar that is not empty.
func (p *parser) text(n *yaml.Node, what string) (string, bool) {
	if n = resolve(n); n.Kind != yaml.ScalarNode || isNull(n) || strings.TrimSpace(n.Value) == "" {
		p.complain(n, "%s wants a text", what)
		return "", false
	}
	return n.Value, true
}

// list is a sequence of texts, or a single one.
func (p *parser) list(n *yaml.Node, what string, f func(item *yaml.Node, text string)) {
	items := []*yaml.Node{n}
	if n = resolve(n); n.Kind == yaml.SequenceNode {
		items = n.Content
	}
	for _, item := range items {
		if text, ok := p.text(item, what); ok {
			f(resolve(item), text)
		}
	}
}

// plainList is one whose texts end at a comma.
func plainList(what string, to func(*File) *[]string) func(*parser, *yaml.Node) {
	return func(p *parser, n *yaml.Node) {
		p.list(n, what, func(item *yaml.Node, text string) {
			if strings.ContainsAny(text, ", \t\n") {
				p.complain(item, "%q has a comma or a space: write a list, [a, b]", text)
				return
			}
			to := to(p.file)
			*to = append(*to, text)
		})
	}
}

func readSeverity(p *parser, n *yaml.Node) {
	text, ok := p.text(n, "severity")
	if !ok {
		return
	}
	if _, err := finding.ParseSeverity(text); err != nil {
		p.complain(n, "%v", err)
	}
	p.file.Severity = text
}

func readTests(p *parser, n *yaml.Node) {
	on := n.Value == "true"
	if n.Kind != yaml.ScalarNode || !on && n.Value != "false" {
		p.complain(n, "tests wants true or false")
	}
	p.file.Tests = &on
}

func readThreshold(p *parser, n *yaml.Node) {
	count, err := strconv.Atoi(n.Value)
	if n.Kind != yaml.ScalarNode || err != nil || count < 2 {
		p.complain(n, "threshold wants a product of attempts, 2 or more")
	}
	p.file.Threshold = count
}

// readCatalog checks each line by itself; whether its function exists is seen
// when the package is analysed.
func readCatalog(p *parser, n *yaml.Node) {
	p.list(n, "catalog", func(item *yaml.Node, text string) {
		pos := catalog.Pos{Origin: p.shown, Line: item.Line}
		if p.hosted {
			pos = catalog.Pos{Origin: p.shown + ".catalog", Line: len(p.file.Catalog) + 1}
		}
		if item.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
			pos.Line++ // the text begins below the | or >
		}
		line := Line{text, pos}
		all := append(p.file.Catalog[:len(p.file.Catalog):len(p.file.Catalog)], line)
		if _, err := catalog.Default().Extend("", (&File{Catalog: all}).CatalogText()); err != nil {
			p.errs = append(p.errs, err)
			return
		}
		p.file.Catalog = all
	})
}

func readCodes(p *parser, n *yaml.Node) {
	p.file.Policy = append(p.file.Policy, p.codes(n, "")...)
}

// codes are the rules of a mapping of codes to levels for the files of a glob.
// What is said of all comes first, so that what is said of one holds.
func (p *parser) codes(n *yaml.Node, glob string) finding.Policy {
	var general, special finding.Policy
	p.entries(n, "codes", func(key, value *yaml.Node) {
		name := key.Value
		if p.hosted && name != finding.AllCodes {
			name = strings.ToUpper(name)
		}
		code, err := finding.ParseCode(name)
		if err != nil {
			p.complain(key, "%v", err)
			return
		}
		text, ok := p.text(value, key.Value)
		if !ok {
			return
		}
		level, err := finding.ParseLevel(text)
		if err != nil {
			p.complain(value, "%v", err)
		}
		rule := finding.PolicyRule{Code: code, Level: level, Glob: glob}
		if code == "" {
			general = append(general, rule)
		} else {
			special = append(special, rule)
		}
	})
	return append(general, special...)
}

func readPaths(p *parser, n *yaml.Node) {
	if n.Kind != yaml.SequenceNode {
		p.complain(n, "paths wants a list of items with path and codes")
		return
	}
	for _, item := range n.Content {
		p.pathItem(resolve(item))
	}
}

// pathItem is one item of paths.
func (p *parser) pathItem(n *yaml.Node) {
	var globs []string
	var codes *yaml.Node
	before := len(p.errs)
	p.mapping(n, "an item of paths", pathKeys(
		func(p *parser, n *yaml.Node) {
			p.list(n, "path", func(item *yaml.Node, text string) {
				glob, err := p.anchored(text)
				if err != nil {
					p.complain(item, "%v", err)
				}
				globs = append(globs, glob)
			})
		},
		func(_ *parser, n *yaml.Node) { codes = n },
	))
	switch {
	case len(p.errs) > before:
	case globs == nil:
		p.complain(n, "an item of paths lacks path")
	case codes == nil:
		p.complain(n, "an item of paths lacks codes")
	}
	if codes == nil {
		return
	}
	for i, glob := range globs {
		before := len(p.errs)
		p.file.Policy = append(p.file.Policy, p.codes(codes, glob)...)
		if i > 0 {
			p.errs = p.errs[:before] // said for the first
		}
	}
}

// anchored is a glob as one of absolute names. Names are relative to the file's
// folder, if that is known.
func (p *parser) anchored(glob string) (string, error) {
	if err := finding.CheckGlob(glob); err != nil || p.dir == "" {
		return glob, err
	}
	if path.IsAbs(glob) || filepath.IsAbs(filepath.FromSlash(glob)) {
		return "", fmt.Errorf("path %q is absolute: write it relative to the folder of this file", glob)
	}
	dir := escapeGlob(filepath.ToSlash(p.dir))
	if err := finding.CheckGlob(dir); err != nil {
		return "", errors.New("the name of this file's folder has characters that paths cannot have")
	}
	return path.Join(dir, glob), nil
}

// escapeGlob makes what would be a pattern in a folder's name match itself or,
// where that cannot be written, anything.
func escapeGlob(name string) string {
	return strings.NewReplacer("*", "[*]", "?", "[?]", "[", "[[]", ",", "?", `\`, "?").Replace(name)
}

// resolve follows an alias to what its anchor names.
func resolve(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }
