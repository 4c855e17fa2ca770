package catalog

import "testing"

func TestContextArg(t *testing.T) {
	const src = `package app
		import "context"
		type T struct{}
		func (T) Second(a int, ctx context.Context) {}
		func (T) Nothing(a int) {}
	`
	pkg, _ := check(t, "example.com/app", src)
	for _, test := range []struct {
		attributes, fn string
		want           int
	}{
		{"", "T.Second", 1},
		{"", "T.Nothing", None},
		{"ctx=0", "T.Second", 0},
		{"ctx=recv", "T.Nothing", Receiver},
		{"ctx=7", "T.Second", None},
	} {
		parsed, err := parse("x", "block a.F class=rpc "+test.attributes)
		if err != nil {
			t.Fatal(err)
		}
		if got := parsed.entries[0].ContextArg(function(t, pkg, test.fn).Signature()); got != test.want {
			t.Errorf("%q of %s is %d, want %d", test.attributes, test.fn, got, test.want)
		}
	}
}

func TestCallsArg(t *testing.T) {
	const src = `package app
		type Fn func()
		func F(f func(), a any, g Fn, rest ...func()) {}
		func Slice(fs []func()) {}
		func Again(n int, notify func(error), f func() error, g func() error) error { return nil }
	`
	pkg, _ := check(t, "example.com/app", src)
	for _, test := range []struct {
		line, fn string
		want     string // one character per parameter
	}{
		{"sync a.F", "F", "y-yy"},
		{"spawn a.F", "F", "y-yy"},
		{"later a.F", "F", "y-yy"},
		{"shared a.F", "F", "y-yy"},
		{"later a.F fn=1", "F", "-y--"},
		{"block a.F class=sql fn=2", "F", "--y-"},
		{"block a.F class=sql", "F", "----"},
		{"quiet a.F", "F", "----"},
		{"sync a.F", "Slice", "-"},
		{"retry a.F", "Again", "--y-"},
		{"retry a.F fn=3", "Again", "---y"},
		{"retry a.F", "F", "----"},
	} {
		parsed, err := parse("x", test.line)
		if err != nil {
			t.Fatal(err)
		}
		sig := function(t, pkg, test.fn).Signature()
		got := ""
		for i := range sig.Params().Len() {
			if parsed.entries[0].CallsArg(sig, i) {
				got += "y"
			} else {
				got += "-"
			}
		}
		if got != test.want {
			t.Errorf("%s on %s: got %s, want %s", test.line, test.fn, got, test.want)
		}
	}
}
