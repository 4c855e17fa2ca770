package saturate

import (
	"slices"
	"time"
)

// A record is what happened since start.
type record struct {
	start    time.Time
	measured bool // not the probe
	blackout bool
	calls    []call
	lag      time.Duration
	services []serviceRecord
	arrivals []time.Time // at the dependency
	detached int         // arrivals without their caller's deadline
	slots    []span      // of the dependency
	methods  map[string]bool
}

type serviceRecord struct {
	name                    string
	attempts, handled, shed int
	now, peak               int // busy workers
	spans                   []span
}

func (s *serviceRecord) busy(d int) {
	s.now += d
	s.peak = max(s.peak, s.now)
}

// A span is a stretch of work on behalf of an attempt, nil if unknown.
type span struct {
	from, to time.Time
	attempt  *attempt
}

// zombie returns the part of the span after the caller had gone.
func (s span) zombie() (z span, ok bool) {
	gone := s.attempt.goneAt()
	if gone.IsZero() || !gone.Before(s.to) {
		return span{}, false
	}
	if gone.After(s.from) {
		s.from = gone
	}
	return s, true
}

type outcome int

const (
	failed outcome = iota
	good
	fallback
)

// A call is one of the offered calls; its times are since the start of the
// record.
type call struct {
	due, done time.Duration
	outcome   outcome
}

func newRecord(hops []Hop) *record {
	r := &record{start: time.Now(), services: make([]serviceRecord, len(hops)), methods: map[string]bool{}}
	for i, h := range hops {
		r.services[i].name = h.Name
	}
	return r
}

// trial digests the record. warm is the record of the warm-up if it stands
// apart, which it does in a blackout.
func (r *record) trial(sc *Scenario, warm *record) Trial {
	trigger, observe, end := sc.phases()
	subject := r.services[sc.Subject]
	tr := Trial{
		Calls:    len(r.calls),
		Attempts: r.services[0].attempts,
		Peak:     subject.peak,
		LagMs:    rounded(float64(r.lag) / 1e6),
		Detached: ratio(r.detached, len(r.arrivals)),
		Worker:   seconds(subject.spans),
		Zombie:   seconds(zombies(subject.spans)),
		Busy:     seconds(r.slots),
	}
	tr.DepZombie = seconds(zombies(r.slots))
	for _, s := range r.services {
		tr.Shed += s.shed
		tr.Services = append(tr.Services, ServiceTrial{Name: s.name, Handled: s.handled, Shed: s.shed, Peak: s.peak, Zombie: seconds(zombies(s.spans))})
	}

	count := func(from, to time.Duration) (offered, ok int) {
		for _, c := range r.calls {
			if c.due >= from && c.due < to {
				offered++
				if c.outcome == good {
					ok++
				}
			}
		}
		return offered, ok
	}
	share := func(from, to time.Duration) float64 {
		offered, ok := count(from, to)
		return ratio(ok, offered)
	}
	tr.Base, tr.During, tr.Post = share(0, trigger), share(trigger, observe), share(observe, end)
	if warm != nil {
		base := warm.trial(&Scenario{Warmup: sc.Warmup}, nil)
		tr.Base = ratio(base.OK, base.Calls)
	}

	var latencies []time.Duration
	for _, c := range r.calls {
		switch c.outcome {
		case good:
			tr.OK++
			latencies = append(latencies, c.done-c.due)
		case fallback:
			tr.Fallbacks++
		}
	}
	tr.P50, tr.P99 = quantileMs(latencies, 0.5), quantileMs(latencies, 0.99)
	if tr.Busy > 0 {
		tr.Waste = rounded(max(0, 1-float64(tr.OK)*sc.Dependency.ServiceTime.Seconds()/tr.Busy))
	}

	bottom := len(r.arrivals)
	if bottom == 0 {
		bottom = r.services[len(r.services)-1].handled
	}
	tr.Downstream = bottom
	tr.Amplification = ratio(bottom, len(r.calls))
	offered, _ := count(trigger, observe)
	during := 0
	for _, t := range r.arrivals {
		if at := t.Sub(r.start); at >= trigger && at < observe {
			during++
		}
	}
	tr.AmplificationTrigger = ratio(during, offered)
	tr.Ceiling = r.ceiling(sc, observe, end)
	tr.Recovery = recovery(count, observe, end)
	tr.Series = r.series(sc, end)
	return tr
}

func ratio(a, b int) float64 {
	if b == 0 {
		return 0
	}
	return rounded(float64(a) / float64(b))
}

func seconds(spans []span) float64 {
	var sum time.Duration // integers add up to the same in any order
	for _, s := range spans {
		sum += s.to.Sub(s.from)
	}
	return rounded(sum.Seconds())
}

func zombies(spans []span) (out []span) {
	for _, s := range spans {
		if z, ok := s.zombie(); ok {
			out = append(out, z)
		}
	}
	return out
}

func quantileMs(ds []time.Duration, q float64) float64 {
	if len(ds) == 0 {
		return 0
	}
	slices.Sort(ds)
	return rounded(float64(ds[min(len(ds)-1, int(q*float64(len(ds))))]) / 1e6)
}

// ceiling returns the share of the time between from and to in which every
// worker of the subject was busy.
func (r *record) ceiling(sc *Scenario, from, to time.Duration) float64 {
	type step struct {
		at    time.Duration
		delta int
	}
	var steps []step
	for _, s := range r.services[sc.Subject].spans {
		steps = append(steps, step{s.from.Sub(r.start), 1}, step{s.to.Sub(r.start), -1})
	}
	slices.SortFunc(steps, func(a, b step) int {
		if a.at != b.at {
			return int(a.at - b.at)
		}
		return a.delta - b.delta
	})
	workers := sc.services()[sc.Subject].Workers
	var full, since time.Duration
	busy := 0
	for _, s := range steps {
		if busy >= workers {
			full += max(0, min(s.at, to)-max(since, from))
		}
		busy += s.delta
		since = s.at
	}
	if to <= from {
		return 0
	}
	return rounded(full.Seconds() / (to - from).Seconds())
}

const (
	recoveryWindow = time.Second
	recoveryStep   = 100 * time.Millisecond
	recoveryShare  = 0.95
)

// recovery returns the seconds from the end of the trigger to the beginning of
// the unbroken run of good windows that lasts to the end; -1 if there is none,
// or if it is shorter than two windows.
func recovery(count func(from, to time.Duration) (offered, ok int), from, end time.Duration) float64 {
	since := from
	for at := from; at+recoveryWindow <= end; at += recoveryStep {
		if offered, ok := count(at, at+recoveryWindow); offered > 0 && float64(ok) < recoveryShare*float64(offered) {
			since = at + recoveryWindow
		}
	}
	if since > from && since+recoveryWindow > end {
		return -1
	}
	return rounded((since - from).Seconds())
}

// maxBins keeps a series below the 4 KB of an attribute.
const maxBins = 100

func (r *record) series(sc *Scenario, end time.Duration) Series {
	bin := max(100*time.Millisecond, (end/maxBins + 99*time.Millisecond).Truncate(100*time.Millisecond))
	n := int((end + bin - 1) / bin)
	s := Series{BinMs: int(bin.Milliseconds()), Offered: make([]int, n), Good: make([]int, n), Downstream: make([]int, n)}
	add := func(xs []int, at time.Duration) {
		if i := int(at / bin); i >= 0 && i < n {
			xs[i]++
		}
	}
	for _, c := range r.calls {
		add(s.Offered, c.due)
		if c.outcome == good {
			add(s.Good, c.due)
		}
	}
	for _, t := range r.arrivals {
		add(s.Downstream, t.Sub(r.start))
	}
	spans := r.services[sc.Subject].spans
	s.Workers, s.Zombie = r.means(spans, bin, n), r.means(zombies(spans), bin, n)
	return s
}

// means returns ten times the mean number of spans that cover each bin.
func (r *record) means(spans []span, bin time.Duration, n int) []int {
	covered := make([]time.Duration, n)
	for _, s := range spans {
		from, to := max(0, s.from.Sub(r.start)), s.to.Sub(r.start)
		for i := int(from / bin); i < n && time.Duration(i)*bin < to; i++ {
			covered[i] += min(to, time.Duration(i+1)*bin) - max(from, time.Duration(i)*bin)
		}
	}
	out := make([]int, n)
	for i, c := range covered {
		out[i] = int((10*c + bin/2) / bin)
	}
	return out
}
