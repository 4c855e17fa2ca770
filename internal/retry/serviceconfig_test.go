package retry

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ctxprop/ctxprop/internal/finding"
	"github.com/ctxprop/ctxprop/internal/retry/retrytest"
)

func TestProblems(t *testing.T) {
	for _, test := range retrytest.Cases() {
		t.Run(test.Name, func(t *testing.T) {
			c := ParseServiceConfig(test.Config, Client{MaxCallAttempts: test.Limit})
			var got []string
			for _, p := range c.Problems {
				got = append(got, string(p.Code)+" "+strings.TrimSpace(c.src[p.Start:p.End]))
				if p.Message == "" || (p.Fix == "") != (p.Edits == nil) {
					t.Errorf("incomplete: %+v", p)
				}
			}
			if fmt.Sprint(got) != fmt.Sprint(test.Want) {
				t.Errorf("problems of %s\n got %q\nwant %q", test.Config, got, test.Want)
				for _, p := range c.Problems {
					t.Log(p.Message)
				}
			}
			fixed := ""
			for _, p := range c.Problems {
				if p.Edits != nil {
					fixed = Apply(c.src, p.Edits)
				}
			}
			if fixed != test.Fixed {
				t.Errorf("the fix of %s makes\n %s\nwant\n %s", test.Config, fixed, test.Fixed)
			}
			if len(c.Problems) > 0 && !strings.Contains(c.Problems[0].Message, test.Says) {
				t.Errorf("message %q lacks %q", c.Problems[0].Message, test.Says)
			}
			if c.Refused != test.Refused() {
				t.Errorf("refused: %v", c.Refused)
			}
		})
	}
}

// A budget takes the worst from shed load, but not from what cannot succeed.
func TestBudgetLowersSeverity(t *testing.T) {
	for code, want := range map[string]finding.Severity{"RESOURCE_EXHAUSTED": finding.Info, "NOT_FOUND": finding.Warning} {
		src := strings.TrimSuffix(retrytest.PolicyWith("retryableStatusCodes", `"retryableStatusCodes": ["`+code+`"]`), "}") + `, "retryThrottling": {"maxTokens": 10, "tokenRatio": 0.1}}`
		c := ParseServiceConfig(src, Client{})
		if len(c.Problems) != 1 || c.Problems[0].Severity != want {
			t.Errorf("%s: %+v", code, c.Problems)
		}
	}
}

// TestKnownServices: names that match nothing, where the services are known.
func TestKnownServices(t *testing.T) {
	methods := []string{"/shop.v1.Stock/Get", "/shop.v1.Stock/List", "/shop.v1.Orders/Get", "/pay.v1.Orders/Get", "/Plain/Do"}
	for _, test := range []struct{ name, about, fixed string }{
		{`{"service": "shop.v1.Stock", "method": "Get"}`, "", ""},
		{`{"service": "Plain"}`, "", ""},
		{`{"service": "shop.v2.Stock"}`, "", ""},   // another version is another service
		{`{"service": "search.v1.Index"}`, "", ""}, // its code may be elsewhere
		{`{"service": "Index"}`, "", ""},
		{`{"service": "shop.v1.Stock", "method": "get"}`, `"get"`, `{"service": "shop.v1.Stock", "method": "Get"}`},
		{`{"service": "shop.v1.Stock", "method": "Remove"}`, `"Remove"`, ""},
		{`{"service": "Stock"}`, `"Stock"`, `{"service": "shop.v1.Stock"}`},
		{`{"service": "Orders"}`, `"Orders"`, ""}, // of two, neither is proposed
		{`{"service": "shop.v1.stock"}`, `"shop.v1.stock"`, `{"service": "shop.v1.Stock"}`},
		{`{"service": "shop.v1.Stok"}`, `"shop.v1.Stok"`, `{"service": "shop.v1.Stock"}`},
	} {
		src := retrytest.Config(retrytest.Entry("["+test.name+"]", ""))
		c := ParseServiceConfig(src, Client{Methods: methods})
		about, fixed := "", ""
		for _, p := range c.Problems {
			about += src[p.Start:p.End]
			if p.Edits != nil {
				fixed = Apply(src, p.Edits)
			}
		}
		want := ""
		if test.fixed != "" {
			want = retrytest.Config(retrytest.Entry("["+test.fixed+"]", ""))
		}
		if about != test.about || fixed != want {
			t.Errorf("%s: problem with %q, fixed %q, want %q, %q", test.name, about, fixed, test.about, want)
		}
	}
}

// The first of method, service and default that is there counts as a whole.
func TestMethod(t *testing.T) {
	five := strings.Replace(retrytest.GoodPolicy, "3", "5", 1)
	c := ParseServiceConfig(retrytest.Config(
		retrytest.Entry(`[{}]`, `, "retryPolicy": `+five),
		retrytest.Entry(`[{"service": "p.S"}]`, `, "timeout": "2s", "retryPolicy": `+retrytest.GoodPolicy),
		retrytest.Entry(`[{"service": "p.S", "method": "Quick"}, {"service": "q.T"}]`, `, "timeout": "1s"`),
	), Client{})
	for _, test := range []struct {
		method   string
		attempts int
		timeout  time.Duration
	}{
		{"/p.S/Get", 3, 2 * time.Second},
		{"/p.S/Quick", 0, time.Second},
		{"/p.S/quick", 3, 2 * time.Second},
		{"/p.s/Get", 5, 0},
		{"/q.T/Get", 0, time.Second},
		{"/other.U/Get", 5, 0},
		{"no slash", 5, 0},
	} {
		m := c.Method(test.method)
		attempts := 0
		if m.Policy != nil {
			attempts = m.Policy.Attempts
		}
		if attempts != test.attempts || m.Timeout != test.timeout || m.HasTimeout != (test.timeout > 0) {
			t.Errorf("%s: %d attempts in %s, want %d in %s", test.method, attempts, m.Timeout, test.attempts, test.timeout)
		}
	}
	if got := fmt.Sprint(c.Services()); got != "[ p.S]" {
		t.Errorf("policies for %q", got)
	}
	refused := ParseServiceConfig(retrytest.Config(retrytest.Entry(`[{}]`, `, "retryPolicy": `+five), retrytest.Entry(`[{}]`, "")), Client{})
	if refused.Method("/p.S/Get").Policy != nil || refused.Services() != nil {
		t.Error("a config with which no client can be built has a policy")
	}
	p := c.Method("/p.S/Get").Policy
	if p.Codes != Errors(Unavailable) || p.Backoff != (Backoff{Initial: 100 * time.Millisecond, Max: time.Second, Multiplier: 2, Low: 0.8, High: 1.2}) {
		t.Errorf("policy %+v", p)
	}
	if l := p.Layer(nil); l.Attempts != Exactly(3) || l.Retries.Has(ContextDeadline) {
		t.Errorf("layer %+v", l)
	}
}

// What people feed to a parser by accident or to break it.
func TestHostileConfigs(t *testing.T) {
	for name, src := range map[string]string{
		"deep":          strings.Repeat("[", 9999) + strings.Repeat("]", 9999),
		"too deep":      strings.Repeat("[", 100_000),
		"deep unknown":  `{"x":` + strings.Repeat(`{"x":`, 5000) + "1" + strings.Repeat("}", 5001),
		"invalid UTF-8": "{\"methodConfig\": [{\"name\": [{\"service\": \"\xff\xfe\"}]}]}",
		"broken UTF-8":  "\xff\xfe{}",
		"byte order":    "\ufeff{}",
		"zero":          "\x00",
		"long":          `{"methodConfig": [` + strings.Repeat(`{"retry_policy": {}}, `, 5_000) + `{}]}`,
		"large numbers": `{"methodConfig": [{"name": [{}], "maxRequestMessageBytes": 1e400, "retryPolicy": {"maxAttempts": 99999999999999999999}}]}`,
	} {
		c := ParseServiceConfig(src, Client{})
		for _, p := range c.Problems {
			if p.Start < 0 || p.End < p.Start || p.End > len(src) {
				t.Errorf("%s: %d to %d of %d", name, p.Start, p.End, len(src))
			}
		}
	}
}
