package retry

import "slices"

// Kind says what a layer repeats, and so whether it counts.
type Kind uint8

const (
	// Request layers send the request again.
	Request Kind = iota
	// Hedge layers send it again because it is slow, whatever it returns.
	Hedge
	// Connection layers repeat what has not reached the other side, such as a
	// dial or a request on a dead connection: no load, so no factor.
	Connection
	// Job layers run a whole function again later, such as a queue's
	// redelivery. Nesting under them is normal practice, so they are no factor.
	Job
)

// counts reports whether the layer multiplies what is below it.
func (k Kind) counts() bool { return k == Request || k == Hedge }

// Layer is one layer of retries over a call.
type Layer struct {
	Kind     Kind
	Attempts Attempts
	Retries  ErrorSet // on which it tries again
	Gives    Mapping  // what its caller sees of the error that it gives up with
	Throttle *Throttle
}

// factor is what the layer multiplies by where it tries again.
func (l Layer) factor() Attempts {
	if l.Kind.counts() {
		return l.Attempts
	}
	return Exactly(1)
}

// Adversarial is the number of calls at the bottom if errors alternate so that
// every layer uses up its attempts. Layers are given from the outermost in.
func Adversarial(layers []Layer) Product {
	factors := make(Product, len(layers))
	for i, l := range layers {
		factors[i] = l.factor()
	}
	return factors
}

// Steady is what one and the same error at the bottom leads to.
type Steady struct {
	Cause   Class
	Factors Product // 1 for a layer that does not try again
	// Certain is false if a layer may or may not try again, because the error
	// could not be followed to it.
	Certain bool
}

// SingleCause is the worst of what one and the same error at the bottom leads
// to, among the errors that the bottom may fail with. Layers are given from
// the outermost in. Where two errors are as bad, the one that is certain is
// returned, and else the one with the lower code.
func SingleCause(layers []Layer, bottom ErrorSet) Steady {
	worst := single(len(layers))
	for _, cause := range bottom.Classes() {
		if s := steady(layers, cause); s.worseThan(worst) {
			worst = s
		}
	}
	return worst
}

// single is one call through n layers.
func single(n int) Steady {
	return Steady{Factors: slices.Repeat(Product{Exactly(1)}, n), Certain: true}
}

func (s Steady) worseThan(t Steady) bool {
	a, b := s.Factors.Total(), t.Factors.Total()
	if a.Worst() != b.Worst() {
		return a.Worst() > b.Worst()
	}
	return s.Certain && !t.Certain
}

// steady follows one error from the bottom up. Where it may become one of
// several errors it becomes the same one each time: the worst of them counts.
func steady(layers []Layer, cause Class) Steady {
	s := climb{layers, map[step]Steady{}}.from(len(layers)-1, cause)
	s.Cause = cause
	return s
}

// climb follows errors up through layers.
type climb struct {
	layers []Layer
	known  map[step]Steady
}

// step is an error that arrives at a layer.
type step struct {
	layer int
	seen  Class
}

// from is what an error that arrives at layer i, counted from the outermost,
// leads to there and above.
func (c climb) from(i int, seen Class) Steady {
	if i < 0 {
		return single(len(c.layers))
	}
	at := step{i, seen}
	if s, ok := c.known[at]; ok {
		return s
	}
	l := c.layers[i]
	out := l.Gives.Apply(Errors(seen))
	worst, certain := c.quiet(i-1), true
	for _, next := range out.Classes() {
		s := c.from(i-1, next)
		if i > 0 && c.layers[i-1].Kind != Hedge && out.Meets(c.layers[i-1].Retries) && !out.In(c.layers[i-1].Retries) {
			certain = false
		}
		if s.worseThan(worst) {
			worst = s
		}
	}
	worst.Factors = slices.Clone(worst.Factors)
	worst.Certain = worst.Certain && certain
	if l.Kind == Hedge || l.Retries.Has(seen) {
		worst.Factors[i] = l.factor()
	}
	c.known[at] = worst
	return worst
}

// quiet is what no error at all leads to at layer i and above: a hedge sends
// again all the same.
func (c climb) quiet(i int) Steady {
	s := single(len(c.layers))
	for ; i >= 0; i-- {
		if c.layers[i].Kind == Hedge {
			s.Factors[i] = c.layers[i].factor()
		}
	}
	return s
}

// Throttled reports whether a budget bounds the retries of every layer that
// repeats but one: under sustained failure the nest is then no worse than that
// one layer.
func Throttled(layers []Layer) bool {
	free := 0
	for _, l := range layers {
		if l.factor().Worst() > 1 && l.Throttle == nil {
			free++
		}
	}
	return free <= 1
}
