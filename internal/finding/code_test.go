package finding

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func TestRules(t *testing.T) {
	if !slices.IsSortedFunc(Rules(), func(a, b RuleInfo) int { return strings.Compare(string(a.Code), string(b.Code)) }) {
		t.Error("rules are not ordered by code")
	}
	seen := map[string]bool{}
	for _, r := range Rules() {
		if seen[string(r.Code)] || seen[r.Name] {
			t.Errorf("%s %s is there twice", r.Code, r.Name)
		}
		seen[string(r.Code)], seen[r.Name] = true, true
		if r.Summary == "" || strings.HasSuffix(r.Summary, ".") || r.Analyzer == "" {
			t.Errorf("%s: incomplete: %+v", r.Code, r)
		}
		if got, ok := Rule(r.Code); !ok || got != r {
			t.Errorf("Rule(%s) = %+v, %v", r.Code, got, ok)
		}
	}
}

func TestSeverityAt(t *testing.T) {
	for _, test := range []struct {
		code  Code
		grade Grade
		want  Severity
	}{
		{FreshContext, GradeRequest, Error},
		{FreshContext, GradeContract, Warning},
		{UnderivedResult, GradeContract, Info},
		{"CTX999", GradeRequest, Info},
	} {
		if got := SeverityAt(test.code, test.grade); got != test.want {
			t.Errorf("SeverityAt(%s, %s) = %s, want %s", test.code, test.grade, got, test.want)
		}
	}
}

// TestText holds the names in JSON, which other programs read.
func TestText(t *testing.T) {
	type both struct {
		S Severity
		G Grade
	}
	for _, want := range []string{`{"S":"info","G":"N"}`, `{"S":"warning","G":"C"}`, `{"S":"error","G":"R"}`} {
		var v both
		if err := json.Unmarshal([]byte(want), &v); err != nil {
			t.Fatal(err)
		}
		if got, err := json.Marshal(v); err != nil || string(got) != want {
			t.Errorf("%s comes back as %s, %v", want, got, err)
		}
	}
	for _, bad := range []string{`{"S":"fatal"}`, `{"G":"RC"}`} {
		if err := json.Unmarshal([]byte(bad), new(both)); err == nil {
			t.Errorf("%s was accepted", bad)
		}
	}
}

func TestFingerprint(t *testing.T) {
	a := Identity{FreshContext, "(*p.T).M", "(p.I).N", 0}
	b := a
	b.Ordinal = 1
	if a.Fingerprint() == b.Fingerprint() || a.Fingerprint() != (Identity{FreshContext, "(*p.T).M", "(p.I).N", 0}).Fingerprint() {
		t.Error("fingerprints do not tell identities apart, or do not repeat")
	}
}
