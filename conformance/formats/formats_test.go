package formats

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"github.com/ctxprop/ctxprop/internal/cli"
	"github.com/ctxprop/ctxprop/internal/configfile"
)

// The modules that carry the schemas of others, and these schemas' files.
const (
	sarifModule = "github.com/owenrumney/go-sarif/v3@v3.3.1" // public domain; the schema of OASIS in a Go constant
	sarifFile   = "pkg/report/v210/sarif/schema.go"
	rdModule    = "github.com/reviewdog/reviewdog@v0.21.0"
	rdFile      = "proto/rdf/jsonschema/Diagnostic.json"
)

func TestSARIF(t *testing.T) {
	schema := compile(t, "sarif.json", stringConstant(t, filepath.Join(download(t, sarifModule), sarifFile)))
	for _, program := range programs {
		log := output(t, program, "sarif")
		valid(t, schema, log)
		// The schema must be one that can refuse.
		invalid(t, schema, strings.Replace(log, `"ruleId":`, `"ruleID":`, 1))
		invalid(t, schema, strings.Replace(log, `"startLine": `, `"startLine": -`, 1))
	}
}

func TestJSON(t *testing.T) {
	schema := compile(t, "findings.json", readFile(t, "../../schema/findings.json"))
	for _, program := range programs {
		report := output(t, program, "json")
		valid(t, schema, report)
		invalid(t, schema, strings.Replace(report, `"severity": "`, `"severity": "very `, 1))
		invalid(t, schema, strings.Replace(report, `"home":`, `"house":`, 1))
	}
}

// TestGate validates what the gate prints about a change that adds one fault to
// the others of the example.
func TestGate(t *testing.T) {
	dir := t.TempDir()
	git := func(args ...string) {
		cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.com"}, args...)...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	mend := strings.NewReplacer("s.store.Stock(context.Background(),", "s.store.Stock(r.Context(),")
	copyTree(t, dir, "../../examples/shop", mend.Replace)
	git("init", "-q", "-b", "main")
	git("add", "-A")
	git("commit", "-q", "-m", "base")
	copyTree(t, dir, "../../examples/shop", func(text string) string { return text })
	sarif := compile(t, "sarif.json", stringConstant(t, filepath.Join(download(t, sarifModule), sarifFile)))
	gate := compile(t, "gate.json", readFile(t, "../../schema/gate.json"))
	for format, schema := range map[string]*jsonschema.Schema{"sarif": sarif, "json": gate} {
		text := run(t, "gate", "-C", dir, "-severity", "info", "-base", "HEAD", "-format", format, "./...")
		valid(t, schema, text)
		invalid(t, schema, strings.Replace(text, `"version":`, `"vversion":`, 1))
	}
}

// TestFix validates what fix says that it would do.
func TestFix(t *testing.T) {
	schema := compile(t, "fix.json", readFile(t, "../../schema/fix.json"))
	text := run(t, "fix", "-C", programs[0], "-severity", "info", "-diff", "-format", "json", "./...")
	valid(t, schema, text)
	invalid(t, schema, strings.Replace(text, `"fixed":`, `"mended":`, 1))
}

// copyTree copies the files of a folder, changed by edit.
func copyTree(t *testing.T, to, from string, edit func(string) string) {
	t.Helper()
	err := filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		at := filepath.Join(to, rel)
		if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
			return err
		}
		return os.WriteFile(at, []byte(edit(readFile(t, name))), 0o666)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestRDJSONL(t *testing.T) {
	schema := compile(t, "Diagnostic.json", readFile(t, filepath.Join(download(t, rdModule), rdFile)))
	for _, program := range programs {
		lines := output(t, program, "rdjsonl")
		for line := range strings.Lines(lines) {
			valid(t, schema, line)
			invalid(t, schema, strings.Replace(line, `"line":`, `"line":"x",`+`"line2":`, 1))
		}
	}
}

// TestGitHub holds every line against the form of workflow commands.
func TestGitHub(t *testing.T) {
	command := regexp.MustCompile(`^::(error|warning|notice) (file=[^:,]+,line=\d+(,endLine=\d+)?,col=\d+,)?title=CTX\d{3} [a-z-]+::[^\r\n]+\n$`)
	for _, program := range programs {
		for line := range strings.Lines(output(t, program, "github")) {
			if !command.MatchString(line) {
				t.Errorf("%q is no annotation", line)
			}
		}
	}
}

// The schema for editors takes and refuses what the reader of the file does.
func TestConfiguration(t *testing.T) {
	text, err := configfile.Schema()
	if err != nil {
		t.Fatal(err)
	}
	schema := compile(t, "config.json", string(text))
	every := regexp.MustCompile(`(?m)^#( \S.*)?$`).ReplaceAllString(configfile.Template(), "")
	every = strings.ReplaceAll(every, "\n#", "\n")
	for _, text := range []string{every, "codes: {all: off, CTX101: on}", "own: a", "tags: [a]", "paths: [{path: a, codes: {}}]"} {
		if _, err := configfile.Parse([]byte(text), configfile.Name, "/repo"); err != nil {
			t.Error(err)
		}
		if err := schema.Validate(fromYAML(t, text)); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{
		"sevrity: info", "severity: high", "tests: maybe", "threshold: 1", "threshold: a", "codes: [a]",
		"codes: {CTX999: off}", "codes: {CTX101: loud}", "paths: {}", "paths: [{path: a}]", "paths: [{codes: {}}]",
		"paths: [{path: a, codes: {}, reason: x}]", "own: {a: b}", "catalog: {a: b}",
	} {
		if _, err := configfile.Parse([]byte(text), configfile.Name, "/repo"); err == nil {
			t.Errorf("the reader takes %q", text)
		}
		if schema.Validate(fromYAML(t, text)) == nil {
			t.Errorf("the schema takes %q", text)
		}
	}
}

// programs have findings of many codes, with fixes and long ways to them.
var programs = []string{"../../examples/shop", "../../testdata/cases"}

// output is what ctxprop prints about a program.
func output(t *testing.T, dir, format string) string {
	t.Helper()
	return run(t, "-C", dir, "-severity", "info", "-format", format, "./...")
}

// run is what ctxprop prints, which must find something.
func run(t *testing.T, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if code := cli.Main(t.Context(), append(os.Environ(), "GOWORK=off"), nil, &stdout, &stderr, args); code != 3 {
		t.Fatalf("%v: exit code %d: %s", args, code, &stderr)
	}
	return stdout.String()
}

// download returns the folder of a module version.
func download(t *testing.T, module string) string {
	t.Helper()
	cmd := exec.Command("go", "mod", "download", "-json", module)
	cmd.Dir = t.TempDir() // in no module
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s cannot be downloaded: %v: %s", module, err, out)
	}
	var got struct{ Dir string }
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	return got.Dir
}

// stringConstant is the value of the one string constant of a Go file.
func stringConstant(t *testing.T, name string) string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var value string
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			value, err = strconv.Unquote(lit.Value)
		}
		return true
	})
	if value == "" || err != nil {
		t.Fatalf("%s has no schema: %v", name, err)
	}
	return value
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func compile(t *testing.T, name, text string) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if err := c.AddResource(name, doc); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	schema, err := c.Compile(name)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return schema
}

func valid(t *testing.T, schema *jsonschema.Schema, text string) {
	t.Helper()
	if err := validate(t, schema, text); err != nil {
		t.Errorf("%v in %.300s", err, text)
	}
}

func invalid(t *testing.T, schema *jsonschema.Schema, text string) {
	t.Helper()
	if validate(t, schema, text) == nil {
		t.Errorf("%s lets through %.300s", schema.Location, text)
	}
}

func validate(t *testing.T, schema *jsonschema.Schema, text string) error {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%v in %.300s", err, text)
	}
	return schema.Validate(value)
}

// fromYAML is a text of YAML as a validator of JSON takes it.
func fromYAML(t *testing.T, text string) any {
	t.Helper()
	var value any
	if err := yaml.Unmarshal([]byte(text), &value); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	asJSON, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	out, err := jsonschema.UnmarshalJSON(bytes.NewReader(asJSON))
	if err != nil {
		t.Fatal(err)
	}
	return out
}
