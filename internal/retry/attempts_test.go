package retry

import "testing"

func TestProduct(t *testing.T) {
	three, four := Exactly(3), Exactly(4)
	for _, test := range []struct {
		p     Product
		text  string
		worst int
	}{
		{Product{three, four}, "3×4 = 12", 12},
		{Product{three, three, three}, "3×3×3 = 27", 27},
		{Product{three}, "3", 3},
		{Product{Unknown()}, "?, at least 2", 2},
		{Product{three, Unknown(), three}, "3×?×3, at least 18", 18},
		{Product{Between(2, 5), three}, "2–5×3, up to 15", 15},
		{Product{Exactly(5), Unbounded()}, "5×∞, without end", unlimited},
		{Product{Unknown(), Unbounded()}, "?×∞, without end", unlimited},
		{Product{Exactly(0), Unbounded()}, "0×∞ = 0", 0}, // what is never called is not called at all
		{Product{Unbounded(), Exactly(0)}, "∞×0 = 0", 0},
		{Product{Exactly(0), Unknown()}, "0×? = 0", 0},
		{Product{}, "1", 1},
		{Product{Exactly(1 << 40), Exactly(1 << 40)}, "1099511627776×1099511627776 = 9223372036854775807", unlimited},
	} {
		total := test.p.Total()
		if got := test.p.String(); got != test.text || total.Worst() != test.worst {
			t.Errorf("%s, worst %d; want %s, %d", got, total.Worst(), test.text, test.worst)
		}
	}
}

func TestBounds(t *testing.T) {
	for _, test := range []struct {
		a           Attempts
		text        string
		least, most int
		bounded     bool
	}{
		{Exactly(3), "3", 3, 3, true},
		{Exactly(-1), "0", 0, 0, true},
		{Between(4, 2), "4", 4, 4, true},
		{Unknown(), "?", 2, unlimited, false},
		{Unknown().Mul(Exactly(3)), "6+", 6, unlimited, false},
		{Unbounded(), "∞", unlimited, unlimited, false},
		{Exactly(2).Join(Exactly(5)), "2–5", 2, 5, true},
		{Exactly(3).Join(Unknown()), "?", 2, unlimited, false},
		{Exactly(3).Join(Unbounded()), "∞", 3, unlimited, false},
		{Unbounded().Within(8), "8", 8, 8, true},
		{Exactly(27).Within(6), "6", 6, 6, true},
		{Exactly(3).Within(6), "3", 3, 3, true},
		{Unknown().Within(6), "2–6", 2, 6, true},
		{Unknown().Within(2), "2", 2, 2, true},
		{Unbounded().Within(-1), "0", 0, 0, true},
	} {
		most, ok := test.a.Most()
		if test.a.String() != test.text || test.a.Least() != test.least || most != test.most || ok != test.bounded {
			t.Errorf("%s: %d to %d, %v; want %s: %d to %d, %v", test.a, test.a.Least(), most, ok, test.text, test.least, test.most, test.bounded)
		}
	}
}
