package saturate

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A result is what all seeds of a scenario gave.
type result struct {
	description      Description
	maxAmplification float64
	trials           []Trial
}

// Run runs the scenario's trials and leaves their attributes. It does not
// judge; it fails the test only if the scenario could not be run.
func Run(t *testing.T, sc Scenario) []Trial {
	t.Helper()
	r := run(t, sc)
	r.emit(t)
	return r.trials
}

func run(t *testing.T, sc Scenario) result {
	t.Helper()
	if sc.Name == "" {
		sc.Name = t.Name()
	}
	sc = sc.withDefaults()
	if err := sc.clockFromEnv(); err != nil {
		t.Fatalf("saturate: %v", err)
	}
	if err := sc.validate(); err != nil {
		t.Fatalf("saturate: scenario %s: %v", sc.Name, err)
	}
	clock := sc.Clock
	if clock == Auto {
		clock = Virtual
	}
	runs, err := sc.undisturbed(t, clock)
	reason := ""
	if frozen := frozenError(""); errors.As(err, &frozen) {
		if sc.Clock != Auto {
			t.Fatalf("saturate: scenario %s: the virtual clock froze: %v; set Clock to Auto or Real, or keep this out of the bubble", sc.Name, err)
		}
		reason = frozen.Error()
		t.Logf("saturate: the virtual clock froze, so the real one is used: %s", reason)
		clock = Real
		runs, err = sc.undisturbed(t, clock)
	}
	if err != nil {
		t.Fatalf("saturate: scenario %s: %v", sc.Name, err)
	}
	r := result{description: sc.describe(clock, reason, runs), maxAmplification: sc.MaxAmplification}
	for _, run := range runs {
		r.trials = append(r.trials, run.result)
	}
	return r
}

func (sc *Scenario) clockFromEnv() error {
	switch c := os.Getenv("CTXPROP_CLOCK"); c {
	case "":
	case "virtual":
		sc.Clock = Virtual
	case "real":
		sc.Clock = Real
	default:
		return fmt.Errorf("CTXPROP_CLOCK is %q: it is virtual or real", c)
	}
	return nil
}

// realTries is how often a trial on the real clock is made before it is given
// up as invalid.
const realTries = 3

// undisturbed runs every seed. On the real clock it makes those anew that the
// machine disturbed.
func (sc *Scenario) undisturbed(t *testing.T, clock Clock) ([]*trialRun, error) {
	runs, err := sc.trials(t, clock)
	for try := 1; clock == Real && err == nil; try++ {
		again := *sc
		again.Seeds = nil
		for _, run := range runs {
			if why := sc.disturbed(&run.result); why != "" {
				again.Seeds = append(again.Seeds, run.seed)
				if run.result.Invalid == "" {
					run.result.Invalid = why
				}
			}
		}
		if len(again.Seeds) == 0 || try == realTries {
			break
		}
		var second []*trialRun
		if second, err = again.trials(t, clock); err != nil {
			break
		}
		for _, run := range second {
			runs[slices.Index(sc.Seeds, run.seed)] = run
		}
	}
	return runs, err
}

// disturbed reports what on the machine spoiled a trial on the real clock.
func (sc *Scenario) disturbed(tr *Trial) string {
	switch half := sc.Deadline.Seconds() * 1000 / 2; {
	case tr.LagMs > half:
		return fmt.Sprintf("the machine was too busy: load came up to %.0f ms late, and more than half the deadline (%.0f ms) spoils the trial", tr.LagMs, half)
	case tr.Base < 0.95:
		return fmt.Sprintf("goodput was %.2f before the trigger, on the real clock; 0.95 is needed", tr.Base)
	}
	return ""
}

// trials runs every seed, and stops at the first error.
func (sc *Scenario) trials(t *testing.T, clock Clock) ([]*trialRun, error) {
	runs := make([]*trialRun, len(sc.Seeds))
	errs := make([]error, len(sc.Seeds))
	atATime := len(runs) // on the real clock they mostly sleep
	if clock == Virtual {
		atATime = runtime.GOMAXPROCS(0)
	}
	slots := make(chan struct{}, atATime)
	var failed atomic.Bool
	var wg sync.WaitGroup
	for i, seed := range sc.Seeds {
		slots <- struct{}{}
		if failed.Load() {
			break
		}
		run := &trialRun{sc: sc, seed: seed, clock: clock}
		runs[i] = run
		wg.Go(func() {
			defer func() { <-slots }()
			began := time.Now()
			if clock == Virtual {
				errs[i] = run.inBubble(t)
			} else {
				errs[i] = run.run()
			}
			if errs[i] != nil {
				failed.Store(true)
			}
			run.result.WallMs = rounded(float64(time.Since(began)) / 1e6)
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return runs, nil
}

func (sc *Scenario) describe(clock Clock, reason string, runs []*trialRun) Description {
	trigger, observe, end := sc.phases()
	subject := sc.services()[sc.Subject]
	ms := func(d time.Duration) float64 { return rounded(float64(d) / 1e6) }
	d := Description{
		Version: formatVersion, Name: sc.Name, Clock: clock.String(), ClockReason: reason,
		Methods: runs[0].methods, Handlers: runs[0].handlers, Dialers: runs[0].dialers,
		DeadlineMs: ms(sc.Deadline), Attempts: sc.Retry.MaxAttempts, Workers: subject.Workers, Queue: subject.Queue,
		Concurrency: sc.Dependency.Concurrency, ServiceMs: ms(sc.Dependency.ServiceTime),
		Capacity: rounded(sc.Capacity), Rate: rounded(sc.Rate), Load: rounded(sc.Rate / sc.Capacity),
		Residence: rounded(sc.residence()), CannotReproduce: sc.cannotReproduce(),
		Trigger: TriggerSpan{Kind: sc.Trigger.Kind.String(), Factor: sc.Trigger.Factor, FromMs: ms(trigger), ToMs: ms(observe)},
		TotalMs: ms(end), Endpoint: sc.endpoint(),
	}
	if sc.Expect.Verdict != "" {
		d.Expect = &sc.Expect
	}
	return d
}
