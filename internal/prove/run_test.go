package prove

import (
	"slices"
	"strings"
	"testing"
)

const scenarioText = `{"version":1,"name":"TestA","clock":"virtual","workers":2}`

// TestReadEvents: what a run adds up to, however its tests ended.
func TestReadEvents(t *testing.T) {
	text := "not JSON\n" + lines(t,
		event{Action: "start"},
		event{Action: "output", Output: "ctxprop: overlaid 0123456789abcdef\n"},
		event{Action: "run", Test: "TestA"},
		event{Action: "run", Test: "TestA/sub"},
		event{Action: "attr", Test: "TestA/sub", Key: "ctxprop.scenario", Value: scenarioText},
		event{Action: "attr", Test: "TestA/sub", Key: "ctxprop.trial", Value: `{"seed":1,"post":0.5,"recovery_s":-1}`},
		event{Action: "attr", Test: "TestA/sub", Key: "somebody.else", Value: `nothing for us`},
		event{Action: "output", Test: "TestA/sub", Output: "    a_test.go:3: out of luck\n"},
		event{Action: "output", Test: "TestA/sub", Output: "    --- FAIL: TestA/sub (0.00s)\n"},
		event{Action: "fail", Test: "TestA/sub"},
		event{Action: "fail", Test: "TestA"},
		event{Action: "run", Test: "TestB"},
		event{Action: "pass", Test: "TestB"},
		event{Action: "run", Test: "TestC"},
		event{Action: "output", Test: "TestC", Output: "panic: too bad\n"},
		event{Action: "output", Test: "TestC", Output: "goroutine 7 [running]:\n"},
		event{Action: "fail"},
	)
	l, err := readEvents(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	r := l.run(&TestPackage{Path: "example.com/m"})
	sub := Key{"example.com/m", "TestA/sub"}
	if len(r.Scenarios) != 1 || r.Find(sub) == nil || len(r.Find(sub).Trials) != 1 || r.Find(sub).Trials[0].Post != 0.5 {
		t.Errorf("scenarios: %+v", r.Scenarios)
	}
	want := []Failure{
		{sub, "a_test.go:3: out of luck"},
		{Key{"example.com/m", "TestC"}, "panic: too bad"},
	}
	if !slices.Equal(r.Failed, want) {
		t.Errorf("failed: %q, want %q", r.Failed, want)
	}
}

// TestBadAttributes: what a wrong or another version's harness says is an error
// that names the test.
func TestBadAttributes(t *testing.T) {
	attr := func(key, value string) event {
		return event{Action: "attr", Test: "TestA", Key: key, Value: value}
	}
	for _, test := range []struct {
		events []event
		want   string
	}{
		{[]event{attr("ctxprop.scenario", `{"version":2}`)}, "m.TestA reports in format 2, and this ctxprop reads format 1"},
		{[]event{attr("ctxprop.scenario", `{"version":`)}, "m.TestA: cannot read the attribute ctxprop.scenario"},
		{[]event{attr("ctxprop.trial", `{}`)}, "m.TestA sets the attribute ctxprop.trial and no ctxprop.scenario before it"},
		{[]event{attr("ctxprop.scenario", scenarioText), attr("ctxprop.series", `[]`)}, "m.TestA: cannot read the attribute ctxprop.series"},
		{[]event{attr("ctxprop.scenario", scenarioText), attr("ctxprop.scenario", scenarioText)}, "m.TestA runs two scenarios"},
	} {
		_, err := readEvents(strings.NewReader(lines(t, test.events...)))
		if err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%v: %v, want %s", test.events, err, test.want)
		}
	}
}

// TestSaturationTests: tests that come to package saturate, and no others.
func TestSaturationTests(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"a_test.go": `package m

import (
	"testing"

	harness "github.com/ctxprop/ctxprop/runtime/saturate"
)

func TestDirect(t *testing.T) { harness.Test(t, harness.Scenario{}) }
func TestMeasures(t *testing.T) { harness.Run(t, harness.Scenario{}) }
func run(t *testing.T) { harness.Test(t, harness.Scenario{}) }
func Testify(t *testing.T) { run(t) }
func TestMain(m *testing.M) { run(nil) }
`,
		"b_test.go": `package m

import "testing"

func TestByHelper(t *testing.T) { t.Run("sub", func(t *testing.T) { helper(t) }) }
func helper(t *testing.T) { run(t) }
func TestElse(t *testing.T) {}
`,
	})
	got, err := saturationTests([]string{dir + "/a_test.go", dir + "/b_test.go"})
	if want := []string{"TestByHelper", "TestDirect"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
	write(t, dir, map[string]string{"c_test.go": "package m\n\nfunc {"})
	if _, err := saturationTests([]string{dir + "/c_test.go"}); err == nil || !strings.Contains(err.Error(), "c_test.go:3:6") {
		t.Errorf("a file that does not parse: %v", err)
	}
}

// TestReplayed: what the machine was doing then says nothing about now.
func TestReplayed(t *testing.T) {
	for _, test := range []struct {
		clock, output string
		want          bool
	}{
		{"real", "ok  \texample.com/m\t(cached)\n", true},
		{"real", "ok  \texample.com/m\t9.1s\n", false},
		{"virtual", "ok  \texample.com/m\t(cached)\n", false},
	} {
		l, err := readEvents(strings.NewReader(lines(t,
			event{Action: "attr", Test: "TestA", Key: "ctxprop.scenario", Value: strings.Replace(scenarioText, "virtual", test.clock, 1)},
			event{Action: "output", Output: test.output},
		)))
		if err != nil || l.replayed() != test.want {
			t.Errorf("%s clock, %q: %v, want %v (%v)", test.clock, test.output, l.replayed(), test.want, err)
		}
	}
}
