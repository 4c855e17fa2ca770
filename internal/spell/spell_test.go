package spell

import "testing"

func TestNearest(t *testing.T) {
	names := []string{"format", "severity", "tests", "C", "tags", "v"}
	for name, want := range map[string]string{
		"fromat": "format", "Format": "format", "test": "tests", "severty": "severity",
		"tag": "tags", "c": "C", "json": "", "completely": "", "": "",
	} {
		if got := Nearest(name, names); got != want {
			t.Errorf("Nearest(%q) is %q, want %q", name, got, want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"abc", "ab", 1},
		{"kitten", "sitting", 3}, {"CTX011", "CTX101", 1},
	} {
		if got := Distance(test.a, test.b); got != test.want {
			t.Errorf("Distance(%q, %q) is %d, want %d", test.a, test.b, got, test.want)
		}
		if got := Distance(test.b, test.a); got != test.want {
			t.Errorf("Distance(%q, %q) is %d, want %d", test.b, test.a, got, test.want)
		}
	}
}
