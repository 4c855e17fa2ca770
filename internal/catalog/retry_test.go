package catalog

import "testing"

func TestRetryLines(t *testing.T) {
	const src = `package app
		func Again(n int, name string, f func() error) error { return nil }
		func Notify(f func()) {}
	`
	pkg, _ := check(t, "example.com/app", src)
	for _, test := range []struct{ fn, attributes, line, err string }{
		{"Again", "", "retry example.com/app.Again", ""},
		{"Again", "attempts=3", "retry example.com/app.Again attempts=3", ""},
		{"Again", "attempts=3-5 fn=2", "retry example.com/app.Again fn=2 attempts=3-5", ""},
		{"Again", "attempts=?", "retry example.com/app.Again", ""},
		{"Again", "count=0", "retry example.com/app.Again count=0", ""},
		{"Again", "count=1", "", "count=1 is no parameter of an integer type"},
		{"Again", "count=3", "", "count=3 is no parameter of an integer type"},
		{"Again", "fn=0", "", "retry is for a function that takes a function which returns an error"},
		{"Notify", "", "", "retry is for a function that takes a function which returns an error"},
	} {
		line, err := Declare(function(t, pkg, test.fn), "retry", test.attributes)
		if line != test.line || (err == nil) != (test.err == "") || err != nil && err.Error() != test.err {
			t.Errorf("retry %s at %s: %q, %v; want %q, %s", test.attributes, test.fn, line, err, test.line, test.err)
		}
	}
}
