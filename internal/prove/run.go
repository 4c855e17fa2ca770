package prove

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/ctxprop/ctxprop/internal/finding"
)

// Run is what the saturation tests of a package measured in one run.
type Run struct {
	Scenarios []*Measured // in the order in which they began
	Failed    []Failure   // tests that did not get to an end
}

// Failure is a test that failed, or was still running when its process ended:
// in a run of ours a test fails only if its scenario could not be measured.
type Failure struct {
	Key  Key
	Last string // of what it printed
}

// Find returns what a scenario measured, or nil.
func (r *Run) Find(k Key) *Measured { return (&collector{r.Scenarios}).find(k) }

// Failure returns how a test failed, or "".
func (r *Run) Failure(k Key) string {
	for _, f := range r.Failed {
		if f.Key == k {
			return f.Last
		}
	}
	return ""
}

// Before runs the package's saturation tests on the code as it is.
func (g *Go) Before(ctx context.Context, p *TestPackage) (*Run, error) {
	return g.test(ctx, p, nil, nil)
}

// After runs them on the overlay. The tests give a verdict on each scenario of
// the run before; by which figure depends on the codes of the fixes on its path,
// so that it is settled before anything is measured.
func (g *Go) After(ctx context.Context, p *TestPackage, o *Overlay, before *Run, plan *Plan) (*Run, error) {
	trials, codes := make(map[string][]json.RawMessage), make(map[string][]finding.Code)
	for _, m := range before.Scenarios {
		trials[m.Key.Test] = m.raw
		for _, f := range plan.On(m) {
			codes[m.Key.Test] = append(codes[m.Key.Test], f.ID.Code)
		}
	}
	trialsText, err := json.Marshal(trials)
	if err != nil {
		return nil, err
	}
	codesText, err := json.Marshal(codes)
	if err != nil {
		return nil, err
	}
	return g.test(ctx, p, o, []string{"CTXPROP_BEFORE=" + string(trialsText), "CTXPROP_CODES=" + string(codesText)})
}

// event is one of those that "go test -json" and its build print.
type event struct {
	Action, Package, Test, Key, Value, Output, ImportPath string
}

// test runs the package's saturation tests. On a virtual clock a run that the
// test cache has is as good: its key has the files of the overlay and the
// variables that package saturate reads. On the real clock the machine is part
// of what is measured, so both sides must be measured now.
func (g *Go) test(ctx context.Context, p *TestPackage, o *Overlay, env []string) (*Run, error) {
	l, err := g.events(ctx, p, o, env)
	if err == nil && l.replayed() {
		l, err = g.events(ctx, p, o, env, "-count=1")
	}
	if err != nil {
		return nil, err
	}
	return l.run(p), nil
}

func (g *Go) events(ctx context.Context, p *TestPackage, o *Overlay, env []string, flags ...string) (*log, error) {
	args := append([]string{"test", "-json", "-vet=off", g.tagFlag(), "-run=^(" + strings.Join(p.Tests, "|") + ")$"}, flags...)
	if o != nil {
		args = append(args, o.Flag())
	}
	cmd := g.command(ctx, append(args, p.Path)...)
	cmd.Env = append(cmd.Env, "CTXPROP_PROVE=1", "CTXPROP_BEFORE=", "CTXPROP_CODES=")
	cmd.Env = append(cmd.Env, env...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	log, readErr := readEvents(stdout)
	_, _ = io.Copy(io.Discard, stdout) // so that it can end, whatever was wrong
	waitErr := cmd.Wait()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case log.buildFailed:
		return nil, g.buildError(p, o, log.build.String())
	case waitErr != nil && !log.started:
		said := strings.TrimSpace(stderr.String() + log.output.String())
		return nil, fmt.Errorf("go test %s: %v: %s", p.Path, waitErr, strings.ReplaceAll(said, "\n", "; "))
	case readErr != nil:
		return nil, readErr
	}
	if o != nil {
		if missing := o.missing(log.output.String(), p.dirs); len(missing) > 0 {
			return nil, fmt.Errorf("go test compiled %s as it is in the tree and not as fixed, so there is nothing to compare; this happens with coverage flags, and is a bug otherwise", strings.Join(missing, ", "))
		}
	}
	return log, nil
}

func (g *Go) buildError(p *TestPackage, o *Overlay, text string) error {
	what := "the test of " + p.Path + " does not build"
	if o != nil {
		text = o.original(text, g.Dir)
		what += " with the fixes"
	}
	return fmt.Errorf("%s:\n\t%s", what, strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n\t"))
}

// log is what the events of a run add up to.
type log struct {
	collector
	started     bool // the test program ran
	buildFailed bool
	build       strings.Builder // what the compiler said
	output      strings.Builder
	outputs     map[string]*strings.Builder // by test
	verdict     map[string]string           // by test: pass, fail, skip, or "" while it runs
}

func readEvents(r io.Reader) (*log, error) {
	l := &log{outputs: make(map[string]*strings.Builder), verdict: make(map[string]string)}
	in := bufio.NewReader(r)
	for {
		line, err := in.ReadString('\n')
		if line != "" {
			var e event
			if json.Unmarshal([]byte(line), &e) == nil { // the rest is not for us
				if err := l.add(e); err != nil {
					return l, err
				}
			}
		}
		if err == io.EOF {
			return l, nil
		}
		if err != nil {
			return l, fmt.Errorf("cannot read the output of go test: %v", err)
		}
	}
}

func (l *log) add(e event) error {
	switch e.Action {
	case "build-output":
		l.build.WriteString(e.Output)
	case "build-fail":
		l.buildFailed = true
	case "run":
		l.started = true
		l.verdict[e.Test] = ""
	case "output":
		l.output.WriteString(e.Output)
		if l.outputs[e.Test] == nil {
			l.outputs[e.Test] = new(strings.Builder)
		}
		l.outputs[e.Test].WriteString(e.Output)
	case "pass", "fail", "skip":
		l.verdict[e.Test] = e.Action
	case "attr":
		return l.collector.add(Key{e.Package, e.Test}, e.Key, e.Value)
	}
	return nil
}

// cached is how the go command says that it has run nothing.
var cached = regexp.MustCompile(`(?m)^ok\s.*\(cached\)`)

// replayed reports whether a scenario on the real clock comes from the cache.
func (l *log) replayed() bool {
	return cached.MatchString(l.output.String()) && slices.ContainsFunc(l.scenarios, func(m *Measured) bool { return m.Clock == "real" })
}

// run sums the log up. Of a failed test and its subtests, only the innermost
// have something to say.
func (l *log) run(p *TestPackage) *Run {
	r := &Run{Scenarios: l.scenarios}
	for _, test := range slices.Sorted(maps.Keys(l.verdict)) {
		v := l.verdict[test]
		if test == "" || v == "pass" || v == "skip" || l.failsWithin(test) {
			continue
		}
		last := l.lastWords(test)
		if v == "" { // the process ended first
			last = strings.TrimSpace(last + "\n" + l.lastWords(""))
		}
		r.Failed = append(r.Failed, Failure{Key{p.Path, test}, last})
	}
	return r
}

func (l *log) failsWithin(test string) bool {
	for sub, v := range l.verdict {
		if strings.HasPrefix(sub, test+"/") && (v == "fail" || v == "") {
			return true
		}
	}
	return false
}

// chatter are lines by which package testing frames a test's own.
var chatter = regexp.MustCompile(`^\s*(=== |--- |PASS$|FAIL\b|ok\s|exit status)`)

// lastWords is the end of what a test printed, or the process outside of all;
// of a panic it is the message, for what follows it is mostly of package
// testing and the runtime.
func (l *log) lastWords(test string) string {
	if l.outputs[test] == nil {
		return ""
	}
	var lines []string
	for line := range strings.Lines(l.outputs[test].String()) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "panic: "), strings.HasPrefix(line, "fatal error: "):
			return line
		case line != "" && !chatter.MatchString(line) && !strings.HasPrefix(line, "ctxprop: overlaid "):
			lines = append(lines, line)
		}
	}
	const most = 12
	return strings.Join(lines[max(0, len(lines)-most):], "\n")
}

// coverage flags make the go command compile the original of a replaced file.
var coverage = regexp.MustCompile(`^--?(cover|coverprofile|covermode|coverpkg)(=.*)?$`)

// CheckFlags refuses build flags, separated by blanks as in GOFLAGS, under which
// the runs would not measure what they should.
func CheckFlags(flags string) error {
	for _, f := range strings.Fields(flags) {
		f = strings.Trim(f, `'"`)
		switch {
		case coverage.MatchString(f) && !strings.HasSuffix(f, "=false"):
			return fmt.Errorf("%s: with coverage, go test would measure the original code in place of the fixed; leave it out", f)
		case strings.HasPrefix(strings.TrimLeft(f, "-"), "overlay="):
			return fmt.Errorf("%s: there can be one overlay only, and the fixes are in it; leave it out", f)
		}
	}
	return nil
}

// Temp makes a directory for what a run leaves behind, and the function that
// removes it.
func Temp() (dir string, remove func(), err error) {
	dir, err = os.MkdirTemp("", "ctxprop-prove-*")
	return dir, func() { _ = os.RemoveAll(dir) }, err
}
