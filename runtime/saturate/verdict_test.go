package saturate

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// trialsOf makes one trial per goodput after the trigger.
func trialsOf(post ...float64) (out []Trial) {
	for i, p := range post {
		tr := Trial{Seed: uint64(i + 1), Base: 1, Post: p, Recovery: 1, Amplification: p}
		if p < 0.9 {
			tr.Recovery = -1
		}
		out = append(out, tr)
	}
	return out
}

func TestCompare(t *testing.T) {
	down, up := trialsOf(0, 0.01, 0.02, 0, 0), trialsOf(0.94, 0.96, 1, 0.95, 0.97)
	with := func(trials []Trial, change func(*Trial)) []Trial {
		out := slices.Clone(trials)
		change(&out[len(out)-1])
		return out
	}
	all := func(trials []Trial, change func(*Trial)) []Trial {
		out := slices.Clone(trials)
		for i := range out {
			change(&out[i])
		}
		return out
	}
	for _, tt := range []struct {
		name          string
		before, after []Trial
		endpoint      Endpoint
		want          Verdict
		why           string
	}{
		{"collapse and recovery", down, up, Goodput, Proven, "recovers with every seed"},
		{"one seed escapes before", trialsOf(0, 0.01, 0.83, 0, 0), up, Goodput, Proven, ""},
		{"no collapse", up, up, Goodput, NotReproduced, "does not collapse"},
		{"no recovery", down, down, Goodput, NotSufficient, "0 of 5"},
		{"one seed does not recover", down, with(up, func(tr *Trial) { tr.Recovery = -1 }), Goodput, NotSufficient, "4 of 5"},
		{"overlap", trialsOf(0, 0, 0.4, 0.99, 0.99), trialsOf(0.95, 0.95, 0.95, 0.95, 0.95), Goodput, NotSufficient, "no clear difference"},
		{"worse after", up, down, Goodput, Regressed, "p = 0.004"},
		{"worse without any trigger", down, all(up, func(tr *Trial) { tr.Base = 0.9 }), Goodput, Regressed, "without any trigger"},
		{"base within tolerance", down, all(up, func(tr *Trial) { tr.Base = 0.99 }), Goodput, Proven, ""},
		{"a trial does not count", down, with(up, func(tr *Trial) { tr.Invalid = "a handler panicked" }), Goodput, Invalid, "after, seed 5: a handler panicked"},
		{"a trial before does not count", with(down, func(tr *Trial) { tr.Invalid = "busy" }), up, Goodput, Invalid, "before, seed 5: busy"},
		{"other seeds", down, with(up, func(tr *Trial) { tr.Seed = 9 }), Goodput, Invalid, "seeds differ"},
		{"a seed less", down, up[:4], Goodput, Invalid, "seeds differ: 5 before, 4 after"},
		{"other load", down, with(up, func(tr *Trial) { tr.Calls = 7 }), Goodput, Invalid, "with seed 5 they offer 0 calls before and 7 after"},
		{"four seeds", down[:4], up[:4], Goodput, Invalid, "4 distinct seeds"},
		{"one seed five times", all(down, func(tr *Trial) { tr.Seed = 1 }), all(up, func(tr *Trial) { tr.Seed = 1 }), Goodput, Invalid, "1 distinct seeds"},
		{"nothing", nil, nil, Goodput, Invalid, "0 distinct seeds"},

		{"a layer less", trialsOf(9, 9, 9, 9, 9), trialsOf(3, 3, 3, 3, 3), Amplification, Proven, "9.00 before the fix, 3.00"},
		{"an attempt less", trialsOf(9, 9, 9, 9, 9), trialsOf(6, 6, 6, 6, 6), Amplification, NotSufficient, "not at most half"},
		{"no difference", trialsOf(9, 9, 9, 9, 9), trialsOf(9, 9, 9, 9, 9), Amplification, NotSufficient, ""},
		{"nothing to multiply", trialsOf(1, 1, 1, 1, 1), trialsOf(1, 1, 1, 1, 1), Amplification, NotReproduced, "nothing is repeated"},
		{"more", trialsOf(3, 3, 3, 3, 3), trialsOf(9, 9, 9, 9, 9), Amplification, Regressed, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := compare(tt.before, tt.after, tt.endpoint)
			if c.Verdict != tt.want || !strings.Contains(c.Why, tt.why) {
				t.Errorf("%s because %s; want %s because … %s …", c.Verdict, c.Why, tt.want, tt.why)
			}
		})
	}
}

func TestExpect(t *testing.T) {
	for _, tt := range []struct {
		verdict, expected Verdict
		met               bool
	}{
		{Proven, "", true},
		{NotSufficient, "", false},
		{NotSufficient, NotSufficient, true},
		{Proven, NotSufficient, true},
		{Regressed, NotSufficient, false},
	} {
		c := Comparison{Verdict: tt.verdict}
		var e *Expect
		if tt.expected != "" {
			e = &Expect{tt.expected, "a reason"}
		}
		if c.expect(e); c.Met != tt.met {
			t.Errorf("%s where %q is expected: met is %v", tt.verdict, tt.expected, c.Met)
		}
	}
}

func TestWrongEndpoint(t *testing.T) {
	for _, tt := range []struct {
		endpoint Endpoint
		codes    []string
		wrong    bool
	}{
		{Goodput, []string{"CTX101"}, false},
		{Goodput, []string{"CTX301"}, false},
		{Amplification, []string{"CTX301"}, false},
		{Amplification, []string{"CTX101", "CTX304"}, false},
		{Amplification, []string{"CTX101", "CTX202"}, true},
		{Amplification, nil, false},
	} {
		if why := wrongEndpoint(tt.endpoint, tt.codes); (why != "") != tt.wrong {
			t.Errorf("%s for %v: %q", tt.endpoint, tt.codes, why)
		}
	}
}

// The dynamic programme counts what enumerating all splits counts, ties
// included.
func TestMannWhitney(t *testing.T) {
	enumerate := func(x, y []float64) float64 {
		pool := slices.Concat(x, y)
		// twice U: pairs in which y is greater, ties counting half
		u := func(inY func(int) bool) (sum int) {
			for i, a := range pool {
				for j, b := range pool {
					if inY(i) || !inY(j) {
						continue
					}
					if b > a {
						sum += 2
					} else if b == a {
						sum++
					}
				}
			}
			return sum
		}
		observed := u(func(i int) bool { return i >= len(x) })
		all, extreme := 0, 0
		for set := range uint(1) << len(pool) {
			if bits.OnesCount(set) != len(y) {
				continue
			}
			all++
			if u(func(i int) bool { return set>>i&1 == 1 }) >= observed {
				extreme++
			}
		}
		return float64(extreme) / float64(all)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		sample := func() (s []float64) {
			for range 1 + rng.IntN(5) {
				s = append(s, float64(rng.IntN(6)))
			}
			return s
		}
		x, y := sample(), sample()
		if got, want := mannWhitney(x, y), enumerate(x, y); got-want > 1e-12 || want-got > 1e-12 {
			t.Errorf("%v, %v: p = %v, want %v", x, y, got, want)
		}
	}
	// Five separated seeds of each: 1 of 252 splits.
	if got := mannWhitney([]float64{1, 2, 3, 4, 5}, []float64{6, 7, 8, 9, 10}); rounded(got) != 0.003968 {
		t.Errorf("p = %v", got)
	}
}

func TestEffectSizes(t *testing.T) {
	x, y := []float64{1, 2, 3}, []float64{3, 5}
	// differences: 2 4, 1 3, 0 2
	if d := cliffsDelta(x, y); rounded(d) != rounded(5.0/6) {
		t.Errorf("Cliff's delta %v", d)
	}
	if d := hodgesLehmann(x, y); d != 2 {
		t.Errorf("Hodges-Lehmann %v", d)
	}
}

func TestRecovery(t *testing.T) {
	const hz = 10
	for _, tt := range []struct {
		name string
		good func(tenth int) bool // of a second after the trigger
		want float64
	}{
		{"never down", func(int) bool { return true }, 0},
		{"never up", func(int) bool { return false }, -1},
		{"down for a second", func(i int) bool { return i >= 10 }, 1.9}, // the last window with a failure begins at 0.9 s
		{"down again at the end", func(i int) bool { return i < 50 }, -1},
	} {
		count := func(from, to int) (n, ok int) {
			for i := from; i < to; i++ {
				n++
				if tt.good(i) {
					ok++
				}
			}
			return n, ok
		}
		got := recovery(func(from, to time.Duration) (int, int) {
			return count(int(from*hz/time.Second), int(to*hz/time.Second))
		}, 0, 6*time.Second)
		if got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}
