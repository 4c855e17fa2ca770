package prove

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/ctxprop/ctxprop/internal/finding"
)

// source is a file with a finding per line; a fix replaces the line's number.
type source struct {
	fset *token.FileSet
	name string
	file *token.File
}

func newSource(t *testing.T) *source {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, map[string]string{"a.go": "package m\n\nconst (\n\ta = 1\n\tb = 2\n\tc = 3\n)\n"})
	s := &source{fset: token.NewFileSet(), name: filepath.Join(dir, "a.go")}
	f, err := parser.ParseFile(s.fset, s.name, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	s.file = s.fset.File(f.Pos())
	return s
}

func (s *source) finding(line int, home string, fixes ...analysis.SuggestedFix) *finding.Finding {
	pos := s.file.LineStart(line)
	return &finding.Finding{
		ID: finding.Identity{Code: finding.FreshContext, Home: home, Sink: "sink"}, Pos: pos, Position: s.fset.Position(pos),
		Message: home + " is at fault", Fixes: fixes, Entries: []string{"Server.M"},
	}
}

// set replaces the numbers in lines.
func (s *source) set(text string, at ...int) analysis.SuggestedFix {
	var f analysis.SuggestedFix
	for _, line := range at {
		pos := s.file.LineStart(line) + 5
		f.TextEdits = append(f.TextEdits, analysis.TextEdit{Pos: pos, End: pos + 1, NewText: []byte(text)})
	}
	return f
}

func plan(t *testing.T, s *source, fs ...*finding.Finding) *Plan {
	t.Helper()
	p, err := NewPlan(&Program{
		Fset: s.fset, Findings: fs,
		Asked: func(f *finding.Finding) bool { return f.ID.Home != "elsewhere" },
		Path: func(of []string) map[string]bool {
			runs := map[string][]string{"M": {"M", "below"}, "dial": {"dial", "options"}}
			reached := map[string]bool{}
			for _, fn := range of {
				for _, runs := range runs[fn] {
					reached[runs] = true
				}
			}
			return reached
		},
		RPC: map[string]bool{"M": true, "below": true, "other": true},
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPlan(t *testing.T) {
	s := newSource(t)
	first, again := s.finding(4, "M", s.set("7", 4)), s.finding(4, "below", s.set("8", 4))
	twoA, twoB := s.finding(5, "below", s.set("9", 5, 6)), s.finding(6, "below", s.set("9", 5, 6))
	p := plan(t, s, first, again, twoA, twoB)
	files, err := p.Files()
	if want := "package m\n\nconst (\n\ta = 7\n\tb = 9\n\tc = 9\n)\n"; err != nil || files[s.name] != want {
		t.Errorf("%v, %q, want %q", err, files, want)
	}
	if !slices.Equal(p.Fixed, []*finding.Finding{first, twoA, twoB}) {
		t.Errorf("fixed: %v", p.Fixed)
	}
	if v, why := p.unmeasured(again); v != NoFix || !strings.Contains(why, "differently") {
		t.Errorf("%s: %s", v, why)
	}
	groups := p.Groups()
	if len(groups) != 2 || len(groups[0]) != 1 || len(groups[1]) != 2 {
		t.Errorf("groups: %v", groups)
	}
	files, err = p.Files(groups[1]...)
	if want := "package m\n\nconst (\n\ta = 7\n\tb = 2\n\tc = 3\n)\n"; err != nil || files[s.name] != want {
		t.Errorf("with a group left out: %v, %q, want %q", err, files, want)
	}
	if files, err := plan(t, s).Files(); err != nil || len(files) != 0 {
		t.Errorf("without findings: %v, %v", err, files)
	}
}

// TestLeft: what remains is news if its fix was made, or if it is new.
func TestLeft(t *testing.T) {
	s := newSource(t)
	fixed, open := s.finding(4, "M", s.set("7", 4)), s.finding(5, "below")
	p := plan(t, s, fixed, open)
	for _, test := range []struct {
		after []*finding.Finding
		left  int
	}{
		{nil, 0},
		{[]*finding.Finding{open}, 0},
		{[]*finding.Finding{open, open}, 1},
		{[]*finding.Finding{fixed, open}, 1},
	} {
		if got := p.Left(&Program{Findings: test.after}); len(got) != test.left {
			t.Errorf("%v: %d left, want %d", test.after, len(got), test.left)
		}
	}
}

// measuredAs is a scenario of the method M with two seeds.
func measuredAs(test string, post float64, recovery float64, j *Judgement) *Measured {
	m := &Measured{
		Key:       Key{"example.com/m", test},
		Scenario:  Scenario{Version: 1, Clock: "virtual", Methods: []string{"/p.S/M"}, Handlers: []string{"M"}, DeadlineMS: 300, Attempts: 3, Workers: 4, TotalMS: 1000, Trigger: Trigger{"brownout", 10, 200, 400}},
		Judgement: j,
	}
	for seed := range uint64(2) {
		m.Trials = append(m.Trials, Trial{Seed: seed, Base: 1, Post: post, Recovery: recovery})
		m.Series = append(m.Series, Series{Seed: seed, BinMS: 100, Offered: []int{9, 9, 9, 9, 9, 9, 9, 9, 9, 9}, Good: []int{9, 9, 0, 0, 0, 0, 0, 0, 0, 0}, Workers: []int{3, 4, 40, 40, 40, 40, 40, 40, 40, 40}, Zombie: []int{0, 0, 30, 40, 40, 40, 40, 40, 40, 40}})
	}
	return m
}

// TestReport: the verdict on each scenario and each finding.
func TestReport(t *testing.T) {
	s := newSource(t)
	onPath, unfixed := s.finding(4, "M", s.set("7", 4)), s.finding(5, "below")
	uncalled, noRPC, elsewhere := s.finding(5, "other", s.set("8", 5)), s.finding(6, "main", s.set("8", 6)), s.finding(6, "elsewhere")
	p := plan(t, s, onPath, unfixed, uncalled, noRPC, elsewhere)
	proven := &Judgement{Verdict: Proven, Why: "it <recovers>", P: 0.004, Met: true}
	before := &Run{
		Scenarios: []*Measured{measuredAs("TestGood", 0, -1, nil), measuredAs("TestMute", 0, -1, nil), measuredAs("TestGone", 0, -1, nil), measuredAs("TestBad", 0, -1, nil)},
		Failed:    []Failure{{Key{"example.com/m", "TestEarly"}, "no server"}, {Key{"example.com/m", "TestBad"}, "bad luck"}},
	}
	after := &Run{
		Scenarios: []*Measured{measuredAs("TestGood", 1, 0.5, proven), measuredAs("TestMute", 1, 0.5, nil), measuredAs("TestBad", 1, 0.5, proven)},
		Failed:    []Failure{{Key{"example.com/m", "TestEarly"}, "no server"}},
	}
	r := NewReport(filepath.Dir(s.name), p, []*Pair{{&TestPackage{Path: "example.com/m"}, before, after}})
	var got []string
	for _, o := range r.Scenarios {
		got = append(got, o.Key.Test+": "+string(o.Judgement.Verdict)+": "+o.Judgement.Why)
	}
	want := []string{
		"TestGood: PROVEN: it <recovers>",
		"TestMute: INVALID: the test gave no verdict; is its github.com/ctxprop/ctxprop/runtime older than this ctxprop?",
		"TestGone: INVALID: the test ran no scenario with the fixes",
		"TestBad: INVALID: the test failed without the fixes: bad luck",
		"TestEarly: INVALID: the test failed before it measured anything: no server",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
	if r.Met() {
		t.Error("met in spite of INVALID")
	}
	verdicts := map[*finding.Finding]Verdict{}
	for _, f := range r.Findings {
		verdicts[f.Finding] = f.Verdict
		if (f.Scenarios == nil) != (f.Verdict != "") {
			t.Errorf("%s: verdict %q beside %d scenarios", f.Finding.ID, f.Verdict, len(f.Scenarios))
		}
	}
	for f, want := range map[*finding.Finding]Verdict{onPath: "", unfixed: NoFix, uncalled: NotExercised, noRPC: NoScenario} {
		if got, ok := verdicts[f]; !ok || got != want {
			t.Errorf("%s: %q, want %q", f.ID, got, want)
		}
	}
	if _, ok := verdicts[elsewhere]; ok {
		t.Error("a finding of a package that nobody asked for, and no scenario leads to, is listed")
	}
	checkOutputs(t, r)
}

// TestReportOfConnections: the policy of a connection is on the path of the
// scenarios whose services dial with it, and only it is. A service that cannot
// be built without the fix is measured with it alone.
func TestReportOfConnections(t *testing.T) {
	s := newSource(t)
	policy, work, undialled := s.finding(4, "options", s.set("7", 4)), s.finding(5, "dial", s.set("7", 5)), s.finding(6, "main", s.set("7", 6))
	policy.ID.Code, undialled.ID.Code = finding.InvalidPolicy, finding.HarmfulCodes
	p := plan(t, s, policy, work, undialled)
	dialling := func(test, expected string) *Measured {
		m := measuredAs(test, 1, 0, nil)
		m.Dialers, m.Expect = []string{"dial"}, &Expect{Verdict(expected), "it is so"}
		return m
	}
	failed := func(test string) Failure { return Failure{Key{"example.com/m", test}, "no client"} }
	before := &Run{Failed: []Failure{failed("TestDeclared"), failed("TestUndeclared"), failed("TestBroken")}}
	after := &Run{
		Scenarios: []*Measured{dialling("TestDeclared", "INVALID"), dialling("TestUndeclared", "NOT SUFFICIENT"), dialling("TestBroken", "INVALID")},
		Failed:    []Failure{failed("TestBroken")},
	}
	r := NewReport(filepath.Dir(s.name), p, []*Pair{{&TestPackage{Path: "example.com/m"}, before, after}})
	met := map[string]bool{}
	for _, o := range r.Scenarios {
		met[o.Key.Test] = o.Judgement.Met
		if o.Judgement.Verdict != Invalid || !slices.Equal(o.Fixed, []*finding.Finding{policy}) {
			t.Errorf("%s: %s, fixed %v", o.Key, o.Judgement.Verdict, o.Fixed)
		}
	}
	if want := map[string]bool{"TestDeclared": true, "TestUndeclared": false, "TestBroken": false}; !maps.Equal(met, want) {
		t.Errorf("met: %v, want %v", met, want)
	}
	for _, f := range r.Findings {
		if want := map[*finding.Finding]Verdict{policy: "", work: NoScenario, undialled: NotExercised}[f.Finding]; f.Verdict != want {
			t.Errorf("%s: %q, want %q", f.Finding.ID, f.Verdict, want)
		}
	}
	var text strings.Builder
	if err := WriteText(&text, r); err != nil || !strings.Contains(text.String(), "m.TestDeclared: INVALID, as declared\n") {
		t.Errorf("%v in\n%s", err, &text)
	}
}

// checkOutputs: what is printed can be read by those it is for.
func checkOutputs(t *testing.T, r *Report) {
	var text, object strings.Builder
	if err := errors.Join(WriteText(&text, r), WriteJSON(&object, r)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"a.go:4: M is at fault\n\tPROVEN in m.TestGood\n", "time to recover              never      0.5 s\n", "dependency 10 × slower"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is not in\n%s", want, text.String())
		}
	}
	var decoded struct {
		Met       bool
		Scenarios []struct{ Package, Test, Verdict string }
	}
	if err := json.Unmarshal([]byte(object.String()), &decoded); err != nil || decoded.Met || len(decoded.Scenarios) != 5 || decoded.Scenarios[0].Verdict != "PROVEN" {
		t.Errorf("%v: %+v", err, decoded)
	}
	for _, name := range []string{"proof.svg", "proof.html"} {
		name = filepath.Join(t.TempDir(), name)
		if err := WritePicture(name, r); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		drawing := string(got)[strings.Index(string(got), "<svg"):]
		drawing = drawing[:strings.Index(drawing, "</svg>")+len("</svg>")]
		for dec := xml.NewDecoder(strings.NewReader(drawing)); ; {
			if _, err := dec.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		if strings.Contains(string(got), "<recovers>") || strings.Contains(drawing, "http://") && strings.Count(drawing, "http") != 1 {
			t.Errorf("%s has text that is not escaped, or an address besides that of SVG itself", name)
		}
	}
}

func TestWritePictureKeepsWhatIsThere(t *testing.T) {
	dir := t.TempDir()
	if err := WritePicture(filepath.Join(dir, "nowhere", "a.svg"), new(Report)); err == nil {
		t.Error("no error for a folder that is not there")
	}
	if err := os.Mkdir(filepath.Join(dir, "a.svg"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := WritePicture(filepath.Join(dir, "a.svg"), new(Report)); err == nil {
		t.Error("no error for a folder in the way")
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}
