package saturate_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"

	"github.com/ctxprop/ctxprop/runtime/internal/stub"
	"github.com/ctxprop/ctxprop/runtime/saturate"
)

// What a user sees of a test that fails needs a process of its own: these are
// the tests that it runs.
const childVar = "SATURATE_TEST_CHILD"

var children = map[string]func(t *testing.T){
	"empty":    func(t *testing.T) { saturate.Test(t, saturate.Scenario{}) },
	"register": func(t *testing.T) { sc := short(onConn(keep)); sc.Register = nil; saturate.Test(t, sc) },
	"deadline": func(t *testing.T) { sc := short(onConn(keep)); sc.Deadline = 0; saturate.Test(t, sc) },
	"no service": func(t *testing.T) {
		sc := short(onConn(keep))
		sc.Register = func(grpc.ServiceRegistrar, *saturate.Deps) {}
		saturate.Test(t, sc)
	},
	"call": func(t *testing.T) { sc := short(onConn(keep)); sc.Call = nil; saturate.Test(t, sc) },
	"never starts": func(t *testing.T) {
		sc := short(onConn(keep))
		sc.Register = func(grpc.ServiceRegistrar, *saturate.Deps) { <-make(chan int) }
		saturate.Test(t, sc)
	},
	"never answers": func(t *testing.T) {
		sc := short(onConn(keep))
		sc.Call = func(context.Context, grpc.ClientConnInterface) error { <-make(chan int); return nil }
		saturate.Test(t, sc)
	},
	"stops answering": func(t *testing.T) {
		sc := short(onConn(keep))
		var calls atomic.Int64
		sc.Call = func(ctx context.Context, cc grpc.ClientConnInterface) error {
			if calls.Add(1) == 5 {
				<-make(chan int)
			}
			return stub.Do(ctx, cc)
		}
		saturate.Test(t, sc)
	},
	"register panics": func(t *testing.T) {
		sc := short(onConn(keep))
		sc.Register = func(grpc.ServiceRegistrar, *saturate.Deps) { panic("no configuration") }
		saturate.Test(t, sc)
	},
	"other method": func(t *testing.T) {
		sc := short(onConn(keep))
		sc.Call = func(ctx context.Context, cc grpc.ClientConnInterface) error {
			return cc.Invoke(ctx, "/stub.Service/Other", nil, nil)
		}
		saturate.Test(t, sc)
	},
	"no hop": func(t *testing.T) {
		saturate.Test(t, short(func(d *saturate.Deps) handler { d.Next(); return d.Do }))
	},
	"dial options": func(t *testing.T) {
		sc := short(onConn(keep))
		sc.DialOptions = func() []grpc.DialOption {
			return []grpc.DialOption{grpc.WithDefaultServiceConfig("{,}")}
		}
		saturate.Test(t, sc)
	},
	"too slow": func(t *testing.T) {
		sc := short(onConn(keep))
		sc.Dependency.ServiceTime = time.Second
		saturate.Test(t, sc)
	},
	"panics": func(t *testing.T) {
		saturate.Test(t, short(func(*saturate.Deps) handler {
			return func(context.Context) error { panic("lost my head") }
		}))
	},
	"leaks": func(t *testing.T) {
		saturate.Test(t, short(func(d *saturate.Deps) handler {
			return func(ctx context.Context) error {
				go func() { <-make(chan int) }()
				return d.Do(ctx)
			}
		}))
	},
	"frozen": func(t *testing.T) {
		sc := short(frozen)
		sc.Rate = 100
		sc.Clock = saturate.Virtual
		saturate.Test(t, sc)
	},
	"nested": func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { saturate.Test(t, short(onConn(keep))) })
	},
	"same seed": func(t *testing.T) { sc := short(onConn(keep)); sc.Seeds = []uint64{7, 7}; saturate.Test(t, sc) },
	"no reason": func(t *testing.T) {
		sc := short(onConn(keep))
		sc.Expect.Verdict = saturate.NotSufficient
		saturate.Test(t, sc)
	},
	"twice": func(t *testing.T) {
		saturate.Test(t, short(onConn(keep)))
		saturate.Test(t, short(onConn(keep)))
	},
	"cannot collapse": func(t *testing.T) {
		sc := scenario(onConn(keep))
		sc.Workers, sc.Queue = 8, -1
		sc.Seeds = []uint64{1}
		saturate.Test(t, sc)
	},
	"collapses": func(t *testing.T) { saturate.Test(t, scenario(onConn(lose))) },
	"recovers":  func(t *testing.T) { saturate.Test(t, scenario(onConn(keep))) },
	"short":     func(t *testing.T) { saturate.Test(t, short(onConn(keep))) },
	"expected": func(t *testing.T) {
		sc := scenario(onConn(keep))
		sc.Load = 0.85
		sc.Expect = saturate.Expect{Verdict: saturate.NotSufficient, Reason: "needs admission control as well"}
		sc.Seeds = []uint64{1}
		saturate.Test(t, sc)
	},
	"expected in vain": func(t *testing.T) {
		sc := scenario(onConn(keep))
		sc.Expect = saturate.Expect{Verdict: saturate.NotSufficient, Reason: "a wrong guess"}
		sc.Seeds = []uint64{1}
		saturate.Test(t, sc)
	},
	"repeats": func(t *testing.T) {
		sc := chain(dialling(policy(3, "")), passOn)
		saturate.Test(t, sc)
	},
	"repeats as declared": func(t *testing.T) {
		sc := chain(dialling(policy(3, "")), passOn)
		sc.MaxAmplification = 27
		saturate.Test(t, sc)
	},
}

func TestChild(t *testing.T) {
	name := os.Getenv(childVar)
	if name == "" {
		t.Skip("runs in a child process only")
	}
	children[name](t)
}

// child runs one of children, and returns its output and whether it passed.
func child(t *testing.T, name string, env ...string) (string, bool) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestChild$", "-test.v=test2json")
	cmd.Env = append(append(os.Environ(), childVar+"="+name), env...)
	out, err := cmd.CombinedOutput()
	return string(out), err == nil
}

// Each mistake has an answer that names it, and no panic.
func TestMistakes(t *testing.T) {
	for name, want := range map[string]string{
		"empty":            "Register is nil",
		"register":         "Register is nil",
		"deadline":         "Deadline is 0s: state how long a caller waits",
		"no service":       "Register registered no service",
		"call":             "Call is nil",
		"never starts":     "Register never returns",
		"never answers":    "Call never returns",
		"stops answering":  "a call never returns",
		"register panics":  "panicked while it was set up: no configuration",
		"other method":     "Register and Call must be about the same service",
		"no hop":           "Deps.Next: there is no hop behind it",
		"dial options":     "dial options: ",
		"too slow":         "the call fails on an idle service",
		"panics":           "the handler of /stub.Service/Do panicked: lost my head, at github.com/ctxprop/ctxprop/runtime/saturate_test.",
		"leaks":            "goroutines outlived the service: ",
		"frozen":           "the virtual clock froze: github.com/ctxprop/ctxprop/runtime/saturate_test.frozen.func1",
		"nested":           "the scenario is run inside a synctest bubble",
		"same seed":        "seed 7 is given twice",
		"no reason":        "Expect has no Reason",
		"twice":            "give each a test or a subtest of its own",
		"cannot collapse":  "this scenario cannot reproduce a collapse",
		"collapses":        "seed 1: goodput 100% before the trigger, 0% after, it never recovered",
		"expected in vain": "the service recovers with every seed; drop Expect",
		"repeats":          "27.00 requests at the bottom per call, and at most 1 are right",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, ok := child(t, name)
			if ok || !strings.Contains(out, want) {
				t.Errorf("passed: %v; want %q in:\n%s", ok, want, out)
			}
			if strings.Contains(out, "goroutine ") && strings.Contains(out, "panic: ") {
				t.Errorf("it panics:\n%s", out)
			}
		})
	}
	for _, name := range []string{"recovers", "expected", "repeats as declared"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if out, ok := child(t, name); !ok {
				t.Errorf("it fails:\n%s", out)
			}
		})
	}
}

// attributes returns the values of an attribute in a child's output, and checks
// that test2json would keep each whole.
func attributes(t *testing.T, out, key string) (values []string) {
	t.Helper()
	for line := range strings.Lines(out) {
		if _, value, ok := strings.Cut(line, "=== ATTR  TestChild "+key+" "); ok {
			if len(line) >= 4096 {
				t.Errorf("%s has a line of %d bytes", key, len(line))
			}
			values = append(values, strings.TrimSpace(value))
		}
	}
	return values
}

// Proving takes two runs: the first leaves trials, the second is given them.
func TestProve(t *testing.T) {
	before, ok := child(t, "collapses", "CTXPROP_PROVE=1")
	if !ok {
		t.Fatalf("under CTXPROP_PROVE a collapse is reported only:\n%s", before)
	}
	trials := attributes(t, before, "ctxprop.trial")
	if len(trials) != 5 || len(attributes(t, before, "ctxprop.series")) != 5 || len(attributes(t, before, "ctxprop.scenario")) != 1 {
		t.Fatalf("attributes are missing:\n%s", before)
	}
	if v := attributes(t, before, "ctxprop.verdict"); v != nil {
		t.Errorf("a verdict without anything to compare with: %s", v)
	}
	var d saturate.Description
	if err := json.Unmarshal([]byte(attributes(t, before, "ctxprop.scenario")[0]), &d); err != nil {
		t.Fatal(err)
	}
	if len(d.Handlers) != 1 || d.Handlers[0] != "(*github.com/ctxprop/ctxprop/runtime/internal/stub.Server).Do" || d.Methods[0] != "/stub.Service/Do" {
		t.Errorf("handlers %q, methods %q", d.Handlers, d.Methods)
	}

	env := "CTXPROP_BEFORE=" + `{"TestChild": [` + strings.Join(trials, ",") + `]}`
	after, ok := child(t, "recovers", "CTXPROP_PROVE=1", env, `CTXPROP_CODES={"TestChild": ["CTX101"]}`)
	verdict := attributes(t, after, "ctxprop.verdict")
	if !ok || len(verdict) != 1 {
		t.Fatalf("no verdict:\n%s", after)
	}
	var c saturate.Comparison
	if err := json.Unmarshal([]byte(verdict[0]), &c); err != nil {
		t.Fatal(err)
	}
	if c.Verdict != saturate.Proven || !c.Met || c.P > 0.01 {
		t.Errorf("%+v", c)
	}

	if out, ok := child(t, "short", "CTXPROP_PROVE=1", "GODEBUG=asynctimerchan=1"); !ok || !strings.Contains(out, "asynctimerchan=1, with which there are no bubbles") {
		t.Errorf("without bubbles the real clock should serve:\n%s", out)
	}
	if out, ok := child(t, "recovers", "CTXPROP_PROVE=1", "CTXPROP_BEFORE=[]"); ok || !strings.Contains(out, "CTXPROP_BEFORE must be a JSON object") {
		t.Errorf("a malformed variable is accepted:\n%s", out)
	}
	if out, ok := child(t, "recovers", "CTXPROP_CLOCK=sundial"); ok || !strings.Contains(out, `CTXPROP_CLOCK is "sundial"`) {
		t.Errorf("an unknown clock is accepted:\n%s", out)
	}
}
