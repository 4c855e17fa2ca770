package retry

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Attempts says how often a layer calls what it repeats if that always fails
// in a way that the layer retries. The first call counts. The zero value is no
// call at all.
type Attempts struct {
	least, most int // most is unlimited for no bound that is known
	kind        attemptsKind
}

type attemptsKind uint8

const (
	counted attemptsKind = iota
	unknown
	unbounded
)

// unlimited stands for a count with no bound, and for one too large to tell.
const unlimited = math.MaxInt

// Exactly n attempts; negative counts are none.
func Exactly(n int) Attempts { return Between(n, n) }

// Between least and most attempts, both included.
func Between(least, most int) Attempts {
	least = max(least, 0)
	return Attempts{least: least, most: max(least, most)}
}

// Unknown is a count that cannot be told. There are two attempts at least: a
// layer that never tries again is no layer.
func Unknown() Attempts { return Attempts{least: 2, most: unlimited, kind: unknown} }

// Unbounded attempts end by no count; time or a context may still end them.
func Unbounded() Attempts { return Attempts{least: unlimited, most: unlimited, kind: unbounded} }

// Least is the lower bound, which is never a guess.
func (a Attempts) Least() int { return a.least }

// Most is the upper bound. ok is false if there is none or it is unknown.
func (a Attempts) Most() (n int, ok bool) { return a.most, a.most != unlimited }

// IsUnknown reports whether the count, or a factor of it, could not be told.
func (a Attempts) IsUnknown() bool { return a.kind == unknown }

// IsUnbounded reports whether no count ends the attempts.
func (a Attempts) IsUnbounded() bool { return a.kind == unbounded }

// Worst is what a report may claim: the upper bound where there is one, the
// lower bound of an unknown count, and the largest int if nothing ends it.
func (a Attempts) Worst() int {
	if a.kind == unknown {
		return a.least
	}
	return a.most
}

// Mul is the number of calls at the bottom of two layers.
func (a Attempts) Mul(b Attempts) Attempts {
	product := Attempts{least: mul(a.least, b.least), most: mul(a.most, b.most), kind: max(a.kind, b.kind)}
	if product.most == 0 {
		product.kind = counted // never called at all, however often that is repeated
	}
	return product
}

// Join is the count where one of two holds and it cannot be told which.
func (a Attempts) Join(b Attempts) Attempts {
	return Attempts{least: min(a.least, b.least), most: max(a.most, b.most), kind: max(a.kind, b.kind)}
}

// Within caps the count at n, for what else ends the attempts.
func (a Attempts) Within(n int) Attempts {
	n = max(n, 0)
	if a.kind == unbounded {
		return Exactly(n)
	}
	capped := Attempts{least: min(a.least, n), most: min(a.most, n), kind: a.kind}
	if capped.least == capped.most {
		capped.kind = counted
	}
	return capped
}

// String is 3, 2–5, ? for an unknown count and ∞ for one without end. A
// product that has an unknown factor is its lower bound and a plus: 18+.
func (a Attempts) String() string {
	switch {
	case a.kind == unbounded:
		return "∞"
	case a == Unknown():
		return "?"
	case a.most == unlimited:
		return strconv.Itoa(a.least) + "+"
	case a.least == a.most:
		return strconv.Itoa(a.least)
	}
	return fmt.Sprintf("%d–%d", a.least, a.most)
}

// mul is saturating; 0 times anything is 0.
func mul(a, b int) int {
	switch {
	case a == 0 || b == 0:
		return 0
	case a > unlimited/b:
		return unlimited
	}
	return a * b
}

// Product is the factors of a nest of layers, the outermost first.
type Product []Attempts

// Total multiplies the factors.
func (p Product) Total() Attempts {
	total := Exactly(1)
	for _, a := range p {
		total = total.Mul(a)
	}
	return total
}

// String is the factors and the total, such as "3×4 = 12", "3×?×3, at least
// 18" and "5×∞, without end".
func (p Product) String() string {
	factors := make([]string, len(p))
	for i, a := range p {
		factors[i] = a.String()
	}
	text, total := strings.Join(factors, "×"), p.Total()
	switch {
	case total.IsUnbounded():
		return text + ", without end"
	case total.IsUnknown():
		return fmt.Sprintf("%s, at least %d", text, total.Least())
	case len(p) < 2:
		return total.String()
	case total.Least() != total.Worst():
		return fmt.Sprintf("%s, up to %d", text, total.Worst())
	}
	return fmt.Sprintf("%s = %d", text, total.Worst())
}
