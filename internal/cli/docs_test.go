package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/ctxprop/ctxprop"
	"github.com/ctxprop/ctxprop/internal/catalog"
	"github.com/ctxprop/ctxprop/internal/configfile"
	"github.com/ctxprop/ctxprop/internal/finding"
)

// codeBlock is a fenced block of a page.
type codeBlock struct {
	at       string // file:line
	language string
	text     string
}

// TestDocs holds every code block of the documentation to what it is about: Go
// compiles or is an excerpt, commands have flags that exist, configurations are
// read by what reads them, output has been printed.
func TestDocs(t *testing.T) {
	check := map[string]func(*testing.T, codeBlock) error{
		"go": checkGo, "sh": checkShell, "yaml": checkYAML, "json": checkJSON, "text": checkRecorded, "catalog": checkCatalogLines,
	}
	for _, b := range docBlocks(t) {
		t.Run(b.at, func(t *testing.T) {
			do := check[b.language]
			if do == nil {
				t.Fatalf("a block of %q: use go, sh, yaml, json, text or catalog", b.language)
			}
			if err := do(t, b); err != nil {
				t.Error(err)
			}
		})
	}
}

// pages are those for users. The examples on the rules page are those of
// explain, which have tests of their own.
func pages(t *testing.T) []string {
	t.Helper()
	names, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(names) == 0 {
		t.Fatal("no pages:", err)
	}
	names = slices.DeleteFunc(names, func(name string) bool { return name == filepath.FromSlash(rulesFile) })
	return append(names, "../../README.md", "../../SECURITY.md")
}

func docBlocks(t *testing.T) []codeBlock {
	t.Helper()
	var blocks []codeBlock
	for _, name := range pages(t) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var in *codeBlock
		var paragraph bool // text above, to which indented lines may belong
		for i, line := range strings.Split(string(text), "\n") {
			at := fmt.Sprintf("%s:%d", strings.TrimPrefix(filepath.ToSlash(name), "../../"), i+1)
			fence, isFence := strings.CutPrefix(strings.TrimSpace(line), "```")
			switch {
			case isFence && in == nil:
				in = &codeBlock{at: at, language: fence}
			case isFence:
				blocks = append(blocks, *in)
				in = nil
			case in != nil:
				in.text += line + "\n"
			case strings.HasPrefix(line, "    ") && !paragraph:
				t.Errorf("%s: an indented block, which nothing tests: put it between fences", at)
			}
			paragraph = !isFence && strings.TrimSpace(line) != ""
		}
		if in != nil {
			t.Errorf("%s: a fence without its end", in.at)
		}
	}
	return blocks
}

// checkGo wants a complete file that type-checks, an excerpt of a file of the
// repository, or directives.
func checkGo(t *testing.T, b codeBlock) error {
	file, err := parser.ParseFile(token.NewFileSet(), b.at, b.text, parser.ParseComments)
	if err == nil {
		dir := module(t, stubModule+"-- p/"+file.Name.Name+".go --\n"+b.text)
		var stdout, stderr bytes.Buffer
		if code := Main(t.Context(), os.Environ(), nil, &stdout, &stderr, []string{"-C", dir, "-config", "none", "./p"}); code != 0 && code != exitFindings {
			return fmt.Errorf("%s", &stderr)
		}
		return nil
	}
	if directives(b.text) {
		return checkDirectives(b)
	}
	return excerptOf(b, func(name string) bool {
		return strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "docs_test.go") // which has bad ones
	})
}

func directives(text string) bool {
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "//ctxprop:") {
			return false
		}
	}
	return true
}

// checkDirectives reads each directive above a function of its own.
func checkDirectives(b codeBlock) error {
	fset := token.NewFileSet()
	source := "package p\n"
	for line := range strings.Lines(b.text) {
		source += "\n" + line + "func _() {}\n"
	}
	file, err := parser.ParseFile(fset, b.at, source, parser.ParseComments)
	if err != nil {
		return err
	}
	read := finding.ParseDirectives(fset, []*ast.File{file})
	for _, d := range read.Declarations() {
		if !catalog.IsVerb(d.Verb) {
			return fmt.Errorf("unknown directive //ctxprop:%s", d.Verb)
		}
	}
	for _, analyzer := range finding.Analyzers() {
		for _, f := range finding.BadDirectives(fset, "p", read, analyzer, false) {
			if !strings.Contains(f.Message, "suppresses nothing") {
				return errors.New(f.Message)
			}
		}
	}
	return nil
}

// checkRecorded wants output that some recorded file has.
func checkRecorded(_ *testing.T, b codeBlock) error {
	return excerptOf(b, func(name string) bool {
		switch filepath.Ext(name) {
		case ".txt", ".txtar", ".golden":
			return true
		}
		return strings.HasSuffix(name, "_test.go") && !strings.Contains(name, "docs_test")
	})
}

// excerptOf wants a file of the repository, of those that fit, that holds the
// text of a block. Spaces do not count, and … stands for whatever was left out.
func excerptOf(b codeBlock, fits func(name string) bool) error {
	var parts []string
	for part := range strings.SplitSeq(b.text, "…") {
		parts = append(parts, strings.ReplaceAll(regexp.QuoteMeta(strings.Join(strings.Fields(part), " ")), " ", `\s+`))
	}
	want := regexp.MustCompile(strings.Join(parts, `[\s\S]*?`))
	found := errors.New("no file of the repository has this")
	err := filepath.WalkDir("../..", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == ".git":
			return fs.SkipDir
		case found == nil || d.IsDir() || !fits(name):
			return nil
		}
		text, err := os.ReadFile(name)
		if err == nil && want.Match(text) {
			found = nil
		}
		return err
	})
	return errors.Join(err, found)
}

func checkCatalogLines(_ *testing.T, b codeBlock) error {
	_, err := catalog.Default().Extend("block", b.text)
	return err
}

// checkJSON wants JSON, and of our own output the fields that it has.
func checkJSON(_ *testing.T, b codeBlock) error {
	var value map[string]any
	if err := json.Unmarshal([]byte(b.text), &value); err != nil {
		return err
	}
	if value["findings"] == nil {
		return nil
	}
	dec := json.NewDecoder(strings.NewReader(b.text))
	dec.DisallowUnknownFields()
	var r jsonReport
	err := dec.Decode(&r)
	for _, f := range r.Findings {
		if want := f.ID.Fingerprint(); f.Fingerprint != want {
			err = errors.Join(err, fmt.Errorf("the fingerprint of %v is %s", f.ID, want))
		}
	}
	return err
}

// TestProblemMatchers runs the patterns of the pages over the findings on record.
func TestProblemMatchers(t *testing.T) {
	text, err := os.ReadFile("../../examples/shop/findings.txt")
	if err != nil {
		t.Fatal(err)
	}
	var findings []string
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "\t") {
			findings = append(findings, strings.TrimSuffix(line, "\n"))
		}
	}
	matchers := 0
	for _, b := range docBlocks(t) {
		for _, found := range regexp.MustCompile(`"regexp": (".*")`).FindAllStringSubmatch(b.text, -1) {
			matchers++
			var pattern string
			if err := json.Unmarshal([]byte(found[1]), &pattern); err != nil {
				t.Fatal(err)
			}
			var got []string
			for line := range strings.Lines(string(text)) {
				if m := regexp.MustCompile(pattern).FindStringSubmatch(strings.TrimSuffix(line, "\n")); m != nil {
					got = append(got, fmt.Sprintf("%s:%s:%s: %s (%s)", m[1], m[2], m[3], m[4], m[5]))
				}
			}
			if !slices.Equal(got, findings) {
				t.Errorf("%s: %s finds %q", b.at, pattern, got)
			}
		}
	}
	if matchers == 0 {
		t.Error("no page has a problem matcher")
	}
}

// TestDocsLinks: what a page of ours links to is there.
func TestDocsLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	for _, name := range append(pages(t), "../../CONTRIBUTING.md", "../../bench/README.md", "../../"+strings.TrimPrefix(rulesFile, "../../")) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			target, _, _ := strings.Cut(m[1], "#")
			if target == "" || strings.Contains(target, "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(name), filepath.FromSlash(target))); err != nil {
				t.Errorf("%s links to %s, which is not there", name, m[1])
			}
		}
	}
}

// TestConfigurationPage: the page has a row for every key, with the flag of that
// name or the one that the key turns into, and every flag that a key makes.
func TestConfigurationPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	flags := flagSet(new(options))
	for _, key := range configfile.Keys() {
		m := regexp.MustCompile("(?m)^\\| `" + key + "` \\| `-([a-z]+)` \\|").FindSubmatch(page)
		if m == nil || flags.Lookup(string(m[1])) == nil {
			t.Errorf("docs/configuration.md has no row for the key %s with its flag", key)
		}
	}
}

// checkYAML wants YAML that begins with the name of its file. Our own file is
// read, and another one that the repository has must hold the block.
func checkYAML(_ *testing.T, b codeBlock) error {
	first, rest, _ := strings.Cut(b.text, "\n")
	name, ok := strings.CutPrefix(first, "# ")
	if !ok || !strings.HasSuffix(name, ".yml") && !strings.HasSuffix(name, ".yaml") {
		return errors.New("the first line is to be a comment with the name of the file, # .ctxprop.yml")
	}
	if name == configfile.Name {
		_, err := configfile.Parse([]byte(b.text), name, "/repo")
		return err
	}
	var value any
	if err := yaml.Unmarshal([]byte(b.text), &value); err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join("../..", name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil // one of the reader's
	}
	if err == nil && !bytes.Contains(text, []byte(rest)) {
		err = fmt.Errorf("%s does not hold this", name)
	}
	return err
}

// otherCommands may stand in a block; what they do is not ours to test.
var otherCommands = []string{
	"cat", "cd", "cp", "ctxprop-golangci-lint", "curl", "echo", "export", "git", "go-cacher-server", "golangci-lint", "mkdir", "nvim", "pre-commit", "printf", "reviewdog", "rm", "test",
}

// checkShell wants commands that exist, with flags that exist.
func checkShell(t *testing.T, b codeBlock) error {
	text := strings.ReplaceAll(b.text, "\\\n", " ")
	for line := range strings.Lines(text) {
		words, err := shellWords(line)
		if err != nil {
			return fmt.Errorf("%q: %v", line, err)
		}
		for len(words) > 0 {
			end := slices.IndexFunc(words, func(w string) bool { return slices.Contains([]string{"|", "||", "&&", ";", "&"}, w) })
			command := words
			if words = nil; end >= 0 {
				command, words = command[:end], command[end+1:]
			}
			if err := checkCommand(t, command); err != nil {
				return fmt.Errorf("%q: %v", line, err)
			}
		}
	}
	return nil
}

func checkCommand(t *testing.T, words []string) error {
	for len(words) > 0 && assignment.MatchString(words[0]) {
		words = words[1:]
	}
	if i := slices.IndexFunc(words, func(w string) bool { return strings.HasPrefix(w, ">") || strings.HasPrefix(w, "2>") }); i >= 0 {
		words = words[:i]
	}
	switch {
	case len(words) == 0 || slices.Contains(otherCommands, words[0]):
		return nil
	case words[0] == "ctxprop":
		return checkOwn(words[1:])
	case words[0] != "go" || len(words) < 2:
		return fmt.Errorf("unknown command %s", words[0])
	}
	switch args := words[2:]; words[1] {
	case "vet":
		return checkVetFlags(args)
	case "run", "tool":
		for i, arg := range args {
			if arg == "ctxprop" || arg == "./cmd/ctxprop" || strings.HasPrefix(arg, "github.com/ctxprop/ctxprop/cmd/ctxprop") {
				return checkOwn(args[i+1:])
			}
		}
	}
	return nil
}

// checkOwn parses the arguments of ctxprop.
func checkOwn(args []string) error {
	name := commands()[0].name
	if len(args) > 0 && slices.ContainsFunc(commands(), func(c command) bool { return c.name == args[0] }) {
		name, args = args[0], args[1:]
	}
	if name == "explain" || name == "help" || len(args) == 1 && (args[0] == "-version" || args[0] == "-h") {
		return nil
	}
	c, err := commandNamed([]string{name})
	if err != nil || c.flags == nil {
		return err
	}
	fs := c.flags()
	if err := fs.Parse(args); err != nil {
		return flagError(fs, err)
	}
	for _, arg := range fs.Args() {
		if strings.HasPrefix(arg, "-") {
			return fmt.Errorf("flag %s comes after an argument", arg)
		}
	}
	return nil
}

// checkVetFlags wants flags of go vet and of our analyzers.
func checkVetFlags(args []string) error {
	fs := flag.NewFlagSet("vet", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	for _, name := range []string{"vettool", "tags", "C", "c"} {
		fs.String(name, "", "")
	}
	for _, name := range []string{"json", "fix", "diff", "trimpath", "v"} {
		fs.Bool(name, false, "")
	}
	for _, a := range ctxprop.New(ctxprop.Options{}) {
		fs.Bool(a.Name, false, "")
		a.Flags.VisitAll(func(f *flag.Flag) { fs.Var(f.Value, a.Name+"."+f.Name, "") })
	}
	return fs.Parse(args)
}

// shellWords splits a line as a shell does, as far as the pages go: quotes,
// comments, and $(…) as a part of a word.
func shellWords(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	inWord, depth := false, 0
	var quote rune
	flush := func() {
		if inWord {
			words = append(words, word.String())
		}
		word.Reset()
		inWord = false
	}
	for i, r := range strings.TrimRight(line, "\n") {
		switch {
		case quote == 0 && depth == 0 && r == '#' && !inWord:
			flush()
			return words, nil
		case r == quote:
			quote = 0
		case quote == 0 && depth == 0 && (r == '\'' || r == '"'):
			quote, inWord = r, true
		case quote != '\'' && r == '(' && strings.HasSuffix(line[:i], "$"):
			depth++
			word.WriteRune(r)
		case depth > 0 && r == ')':
			depth--
			word.WriteRune(r)
		case quote == 0 && depth == 0 && (r == ' ' || r == '\t'):
			flush()
		case quote == 0 && depth == 0 && r == ';':
			flush()
			words = append(words, ";")
		default:
			inWord = true
			word.WriteRune(r)
		}
	}
	flush()
	if quote != 0 || depth != 0 {
		return nil, errors.New("a quote or bracket without its end")
	}
	return words, nil
}

// The checks can fail.
func TestDocsChecks(t *testing.T) {
	bad := map[string]func(*testing.T, codeBlock) error{
		"package p\n\nvar x int = \"\"\n":                         checkGo,
		"func thatNobodyWrote(q int) { return q }\n":              checkGo,
		"//ctxprop:allow CTX101\n":                                checkGo,
		"//ctxprop:allow CTX999 for a reason\n":                   checkGo,
		"//ctxprop:blck class=rpc\n":                              checkGo,
		"ctxprop -sverity info ./...\n":                           checkShell,
		"ctxprop ./... -severity info\n":                          checkShell,
		"ctxprop prove -why a.go:1 ./...\n":                       checkShell,
		"go run ./cmd/ctxprop -nothing ./...\n":                   checkShell,
		"go vet -vettool=x -ctxflow.nothing=1 ./...\n":            checkShell,
		"go vet -vettool=x -ignoredctx.codes=CTX1=off ./...\n":    checkShell,
		"X=1 ctxpro ./...\n":                                      checkShell,
		"ctxprop ./... | ctxprop -q\n":                            checkShell,
		"echo 'no end\n":                                          checkShell,
		"severity: info\n":                                        checkYAML,
		"# .ctxprop.yml\nseverty: info\n":                         checkYAML,
		"# .github/workflows/x.yml\na: [\n":                       checkYAML,
		"{\"a\": }\n":                                             checkJSON,
		"{\"version\": 1, \"findings\": [{\"cod\": \"CTX101\"}]}": checkJSON,
		"output that nobody has printed … ever\n":                 checkRecorded,
		"blok a.F\n": checkCatalogLines,
	}
	for text, check := range bad {
		if check(t, codeBlock{at: "x.md:1", text: text}) == nil {
			t.Errorf("%q passes", text)
		}
	}
	words, err := shellWords(`GOFLAGS=-v go vet -vettool="$(go tool -n ctxprop)" '-x=a b; c' ./... # why` + "\n")
	if want := []string{"GOFLAGS=-v", "go", "vet", "-vettool=$(go tool -n ctxprop)", "-x=a b; c", "./..."}; err != nil || !slices.Equal(words, want) {
		t.Errorf("%q, %v", words, err)
	}
}
