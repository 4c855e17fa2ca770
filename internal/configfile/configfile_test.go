package configfile

import (
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/ctxprop/ctxprop/internal/catalog"
	"github.com/ctxprop/ctxprop/internal/finding"
)

func TestParse(t *testing.T) {
	f, err := Parse([]byte(`# the whole of it
severity: info
tests: false
tags: [a, b]
own: example.com/platform
threshold: 12
codes:
  CTX203: off
  all: warning
paths:
  - path: internal/legacy
    codes: &quiet {CTX101: info}
  - path: ["gen/**", "**/*_mock.go"]
    codes: *quiet
catalog:
  - block example.com/bus.Publish class=queue
  - |
    quiet example.com/log.*
    wait example.com/bus.Wait class=queue
`), ".ctxprop.yml", "/re[p]o")
	if err != nil {
		t.Fatal(err)
	}
	no := false
	want := &File{
		Severity: "info", Tests: &no, Tags: []string{"a", "b"}, Own: []string{"example.com/platform"}, Threshold: 12,
		Policy: finding.Policy{
			{Level: "warning"}, {Code: "CTX203", Level: finding.Off},
			{Code: "CTX101", Level: "info", Glob: "/re[[]p]o/internal/legacy"},
			{Code: "CTX101", Level: "info", Glob: "/re[[]p]o/gen/**"},
			{Code: "CTX101", Level: "info", Glob: "/re[[]p]o/**/*_mock.go"},
		},
		Catalog: []Line{
			{"block example.com/bus.Publish class=queue", catalog.Pos{Origin: ".ctxprop.yml", Line: 16}},
			{"quiet example.com/log.*\nwait example.com/bus.Wait class=queue\n", catalog.Pos{Origin: ".ctxprop.yml", Line: 18}},
		},
	}
	if !reflect.DeepEqual(f, want) {
		t.Errorf("got  %+v\nwant %+v", f, want)
	}
	c, err := catalog.Default().Extend("flag", f.CatalogText())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range c.Entries() {
		if e.Symbol.String() == "example.com/bus.Wait" && e.Pos.String() != ".ctxprop.yml:19" {
			t.Errorf("the last line stands at %v", e.Pos)
		}
	}
}

func TestNothingIsSaid(t *testing.T) {
	for _, text := range []string{"", "\n", "# no key\n", "---\n", "{}", "\ufeff# BOM\n", Template()} {
		f, err := Parse([]byte(text), Name, "/repo")
		if err != nil || !reflect.DeepEqual(f, new(File)) {
			t.Errorf("%q: %+v, %v", text, f, err)
		}
	}
}

// Every mistake has its line, and one does not hide the next.
func TestComplaints(t *testing.T) {
	tests := []struct{ text, want string }{
		{"sevrity: info", `1: unknown key "sevrity"; did you mean severity?`},
		{"\nexclude: x", `2: unknown key "exclude": use one of severity, codes, paths, threshold, own, catalog, tests, tags`},
		{"severity: high", `1: unknown severity "high": use error, warning or info`},
		{"severity:", `1: severity wants a text`},
		{"severity: [info]", `1: severity wants a text`},
		{"severity: info\nseverity: error", `2: severity is set on line 1 already: remove one of them`},
		{"tests: maybe", `1: tests wants true or false`},
		{"tests: {}", `1: tests wants true or false`},
		{"threshold: 1", `1: threshold wants a product of attempts, 2 or more`},
		{"threshold: nine", `1: threshold wants a product of attempts, 2 or more`},
		{"tags: a,b", `1: "a,b" has a comma or a space: write a list, [a, b]`},
		{"own: {a: b}", `1: own wants a text`},
		{"codes:\n  CTX210: off", `2: unknown code "CTX210"; did you mean CTX201?`},
		{"codes:\n  CTX203: of", `2: unknown level "of": use off, on, info, warning or error`},
		{"codes: [CTX203]", `1: codes wants a mapping, KEY: VALUE on lines of their own`},
		{"paths: {}", `1: paths wants a list of items with path and codes`},
		{"paths:\n  - legacy", `2: an item of paths wants a mapping, KEY: VALUE on lines of their own`},
		{"paths:\n  - codes: {all: off}", `2: an item of paths lacks path`},
		{"paths:\n  - path: a", `2: an item of paths lacks codes`},
		{"paths:\n  - {pth: a, codes: {all: off}}", `2: unknown key "pth"; did you mean path?`},
		{"paths:\n  - path: [a, ../b]\n    codes: {all: off}", `2: path "../b" leads upwards: write it from the folder that it is relative to`},
		{"paths:\n  - path: /a\n    codes: {all: off}", `2: path "/a" is absolute: write it relative to the folder of this file`},
		{"paths:\n  - path: [a, b]\n    codes: {CTX1: off}", `3: unknown code "CTX1": use one of the table, such as CTX101, or all`},
		{"catalog:\n  - blok a.F class=rpc", `2: unknown kind "blok": use one of ` + catalog.Verbs() + `, root, service, provider`},
		{"catalog:\n  - quiet a.F\n  - quiet a.F", `3: a.F is already described at .ctxprop.yml:2: remove one of the lines`},
		{"a: b\n---\nc: d", `2: a second document begins here: one file has one`},
		{"- severity: info", `1: wants a mapping, KEY: VALUE on lines of their own`},
		{"? [a]\n: b", `1: a key is one word`},
		{"severity: info\n\tcodes: x", `2: `},
		{"severity: \"info", `1: `},
		{"tags: a\ncodes: *x", `2: unknown anchor 'x' referenced`},
		{"tags: a\n\xff\xfe\x00", `2: `},
	}
	for _, test := range tests {
		_, err := Parse([]byte(test.text), Name, "/repo")
		if err == nil {
			t.Errorf("%q is taken", test.text)
			continue
		}
		want := test.want
		if !strings.HasPrefix(want, Name) {
			want = Name + ":" + want
		}
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q:\ngot  %v\nwant %s", test.text, err, want)
		}
	}
	_, err := Parse([]byte("severity: high\ntests: maybe\n"), Name, "/repo")
	if err == nil || strings.Count(err.Error(), "\n") != 1 {
		t.Errorf("two mistakes: %v", err)
	}
}

// Values of another program's configuration have no lines and may have lost the
// case of their keys; what they say is the same.
func TestParseHosted(t *testing.T) {
	type object = map[string]any
	f, err := ParseHosted(object{
		"severity": "info", "threshold": 12, "own": []any{"a.example", "b.example"},
		"codes":   object{"ctx203": "off", "CTX206": "warning", "all": "info"},
		"paths":   []any{object{"path": []any{"gen/**", "legacy"}, "codes": object{"Ctx101": "off"}}},
		"catalog": []any{"quiet a.F", "quiet a.G"},
	}, "settings")
	want := &File{
		Severity: "info", Threshold: 12, Own: []string{"a.example", "b.example"},
		Policy: finding.Policy{
			{Level: "info"}, {Code: "CTX206", Level: "warning"}, {Code: "CTX203", Level: finding.Off},
			{Code: "CTX101", Level: finding.Off, Glob: "gen/**"}, {Code: "CTX101", Level: finding.Off, Glob: "legacy"},
		},
		Catalog: []Line{
			{"quiet a.F", catalog.Pos{Origin: "settings.catalog", Line: 1}},
			{"quiet a.G", catalog.Pos{Origin: "settings.catalog", Line: 2}},
		},
	}
	if err != nil || !reflect.DeepEqual(f, want) {
		t.Errorf("got  %+v, %v\nwant %+v", f, err, want)
	}
	for _, empty := range []any{nil, object(nil), object{}} {
		if f, err := ParseHosted(empty, "settings"); err != nil || !reflect.DeepEqual(f, new(File)) {
			t.Errorf("%v: %+v, %v", empty, f, err)
		}
	}
}

func TestFind(t *testing.T) {
	write := func(parts ...string) string {
		name := filepath.Join(parts...)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		return name
	}
	root := t.TempDir()
	above := write(root, Name) // somebody else's
	repo := filepath.Join(root, "repo")
	write(repo, ".git", "HEAD")
	write(repo, "svc", "go.mod")
	write(repo, "svc", "api", "api.go")
	tests := func(want string, dirs ...string) {
		t.Helper()
		for _, dir := range dirs {
			if got, err := Find(dir); err != nil || got != want {
				t.Errorf("from %s: %q, %v; want %q", dir, got, err, want)
			}
		}
	}
	api := filepath.Join(repo, "svc", "api")
	tests("", api, repo)
	tests(above, root)
	top := write(repo, Name)
	tests(top, api, filepath.Join(repo, "svc"), repo)
	own := write(repo, "svc", Name)
	tests(own, api, filepath.Join(repo, "svc"))
	tests(top, repo)

	module := filepath.Join(root, "module") // in no repository
	write(module, "go.mod")
	write(module, "x", "x.go")
	tests("", filepath.Join(module, "x"), module)
	write(root, "go.work")
	tests(above, filepath.Join(module, "x"))

	write(repo, "other", ".ctxprop.yaml")
	if _, err := Find(filepath.Join(repo, "other")); err == nil || !strings.HasSuffix(err.Error(), ".ctxprop.yaml is not read: call it .ctxprop.yml") {
		t.Errorf("the other ending: %v", err)
	}
}

func TestUnreadableFiles(t *testing.T) {
	dir := t.TempDir()
	for name, want := range map[string]string{"gone.yml": "cannot read x.yml: no such file or directory", ".": "cannot read x.yml: it is a directory"} {
		if _, err := Read(filepath.Join(dir, name), "x.yml"); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
	big := filepath.Join(dir, "big.yml")
	if err := os.WriteFile(big, make([]byte, maxSize+1), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(big, "x.yml"); err == nil || !strings.Contains(err.Error(), "at most") {
		t.Errorf("a large file: %v", err)
	}
}

// What init writes in comments is a configuration that sets every key.
func TestTemplate(t *testing.T) {
	var b strings.Builder
	for line := range strings.Lines(Template()) {
		if len(line) > 81 && !strings.Contains(line, SchemaURL) && !strings.HasPrefix(line, "#  ") {
			t.Errorf("long line: %s", line)
		}
		if text, ok := strings.CutPrefix(line, "#"); ok && text != "" && !strings.HasPrefix(text, " ") || strings.HasPrefix(text, "  ") {
			b.WriteString(text)
		}
	}
	f, err := Parse([]byte(b.String()), Name, "/repo")
	if err != nil {
		t.Fatalf("%v in\n%s", err, b.String())
	}
	v := reflect.ValueOf(*f)
	for i := range v.NumField() {
		if v.Field(i).IsZero() {
			t.Errorf("the template has no %s", v.Type().Field(i).Name)
		}
	}
}

var update = flag.Bool("update", false, "write schema/config.json")

// The published schema is that of the keys.
func TestSchema(t *testing.T) {
	const name = "../../schema/config.json"
	want, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(name, want, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(name)
	if err != nil || string(got) != string(want) {
		t.Errorf("%s is not current: go test ./internal/configfile -run TestSchema -update (%v)", name, err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("severity: info\ncodes: {CTX203: off}\n")
	f.Add("paths:\n  - path: [a, \"**\"]\n    codes: &a {all: off}\n  - {path: b, codes: *a}\n")
	f.Add("catalog:\n  - |\n    quiet a.F\ntags: [a]\n--- x\n")
	f.Fuzz(func(t *testing.T, text string) {
		file, err := Parse([]byte(text), Name, "/repo")
		if err != nil {
			return
		}
		if _, err := finding.ParsePolicy(file.Policy.String()); err != nil {
			t.Errorf("the policy of %q: %v", text, err)
		}
		if _, err := catalog.Default().Extend("", file.CatalogText()); err != nil {
			t.Errorf("the catalog of %q: %v", text, err)
		}
	})
}
