// Package retrytest has service configs with what grpc-go does with them:
// the tests of internal/retry hold it against them, and those of the
// conformance module hold them against grpc-go.
package retrytest

import (
	"slices"
	"strings"
)

// GoodPolicy and its parts make the configs of the tests.
const GoodPolicy = `{"maxAttempts": 3, "initialBackoff": "0.1s", "maxBackoff": "1s", "backoffMultiplier": 2, "retryableStatusCodes": ["UNAVAILABLE"]}`

// Entry is an element of methodConfig: name is the JSON of its names, and rest
// begins with a comma unless it is empty.
func Entry(name, rest string) string { return `{"name": ` + name + rest + `}` }

// Config is a service config with these entries.
func Config(entries ...string) string {
	return `{"methodConfig": [` + strings.Join(entries, ", ") + `]}`
}

// WithPolicy is a config that gives service p.S a retryPolicy.
func WithPolicy(policy string) string {
	return Config(Entry(`[{"service": "p.S"}]`, `, "retryPolicy": `+policy))
}

// PolicyWith is GoodPolicy with one member written otherwise; without is the
// member's key, and instead may be empty.
func PolicyWith(without, instead string) string {
	var members []string
	for _, m := range strings.SplitAfter(strings.Trim(GoodPolicy, "{}"), ", ") {
		m = strings.TrimSuffix(m, ", ")
		if strings.HasPrefix(m, `"`+without+`"`) {
			if m = instead; m == "" {
				continue
			}
		}
		members = append(members, m)
	}
	return WithPolicy("{" + strings.Join(members, ", ") + "}")
}

// Case is a service config and what is wrong with it.
type Case struct {
	Name, Config string
	Want         []string // codes, with the text that they are about
	Fixed        string   // the text after the fix, or after the last of several
	Says         string   // part of the first message
	Limit        int      // of grpc.WithMaxCallAttempts
}

// Refused reports whether no client can be built with the config.
func (c Case) Refused() bool {
	return slices.ContainsFunc(c.Want, func(w string) bool { return strings.HasPrefix(w, "CTX308") })
}

// Cases has every row of what grpc-go refuses, and of what it accepts and
// passes over or clamps.
func Cases() []Case {
	const refused, ignored, harmful, late = "CTX308 ", "CTX307 ", "CTX306 ", "CTX305 "
	cases := []Case{
		{Name: "nothing wrong", Config: WithPolicy(GoodPolicy)},
		{Name: "nothing at all", Config: `{}`},
		{Name: "null", Config: `null`},
		{Name: "keys in another case", Config: `{"METHODCONFIG": [{"NAME": [{"Service": "p.S"}], "RetryPolicy": {"MaxAttempts": 2, "initialbackoff": ".1s", "MAXBACKOFF": "1.s", "BackoffMultiplier": 1, "RetryableStatusCodes": [14, 14]}}]}`},
		{Name: "remarks", Config: `{"_comment": "x", "description": "y", "// todo": "z", "methodConfig": []}`},
		{Name: "duration without a whole part", Config: PolicyWith("initialBackoff", `"initialBackoff": ".1s"`)},
		{Name: "balancer", Config: `{"loadBalancingConfig": [{"round_robin": {}}]}`},
		{Name: "other balancer", Config: `{"loadBalancingConfig": [{"weighted_round_robin": {}}]}`},
		{Name: "timeout only", Config: Config(Entry(`[{"service": "p.S"}]`, `, "timeout": "1s"`))},
		{Name: "deadline code", Config: PolicyWith("retryableStatusCodes", `"retryableStatusCodes": ["UNAVAILABLE", "DEADLINE_EXCEEDED", "UNKNOWN", "INTERNAL", "ABORTED", "CANCELLED"]`)},
		{Name: "one method without retries on purpose", Config: Config(Entry(`[{"service": "p.S"}]`, `, "retryPolicy": `+GoodPolicy), Entry(`[{"service": "p.S", "method": "M"}]`, ``))},

		{Name: "empty", Config: ``, Want: []string{refused}},
		{Name: "trailing comma", Config: `{"methodConfig": [],}`, Want: []string{refused + "}"}, Says: "take the comma before it out"},
		{Name: "comment", Config: "{ // x\n}", Want: []string{refused + "/"}, Says: "no comments"},
		{Name: "cut off", Config: `{"methodConfig": [`, Want: []string{refused}},
		{Name: "list of choices", Config: `[{"serviceConfig": {}}]`, Want: []string{refused + `[{"serviceConfig": {}}]`}, Says: "choices"},
		{Name: "string", Config: `"x"`, Want: []string{refused + `"x"`}},
		{Name: "methodConfig is an object", Config: `{"methodConfig": {"name": [{}]}}`, Want: []string{refused + `{"name": [{}]}`}, Fixed: `{"methodConfig": [{"name": [{}]}]}`},
		{Name: "name is a string", Config: Config(Entry(`"p.S"`, "")), Want: []string{refused + `"p.S"`}},
		{Name: "waitForReady", Config: Config(Entry(`[{}]`, `, "waitForReady": "true"`)), Want: []string{refused + `"true"`}, Fixed: Config(Entry(`[{}]`, `, "waitForReady": true`))},
	}
	// attempts
	for _, text := range []string{"1", "0"} {
		cases = append(cases, Case{Name: "maxAttempts " + text, Config: PolicyWith("maxAttempts", `"maxAttempts": `+text), Want: []string{refused + text}, Says: "2 or more"})
	}
	for text, fixed := range map[string]string{`"3"`: "3", "3.5": "", "3.0": "3", "3e0": "3"} {
		c := Case{Name: "maxAttempts " + text, Config: PolicyWith("maxAttempts", `"maxAttempts": `+text), Want: []string{refused + text}}
		if fixed != "" {
			c.Fixed = PolicyWith("maxAttempts", `"maxAttempts": `+fixed)
		}
		cases = append(cases, c)
	}
	// durations
	for text, fixed := range map[string]string{`"100ms"`: `"0.1s"`, `"1m"`: `"60s"`, "0.1": "", "null": "", `"1.s.s"`: "", `"1h30m"`: `"5400s"`} {
		c := Case{Name: "initialBackoff " + text, Config: PolicyWith("initialBackoff", `"initialBackoff": `+text), Want: []string{refused + text}, Says: "decimal seconds"}
		if fixed != "" {
			c.Fixed = PolicyWith("initialBackoff", `"initialBackoff": `+fixed)
		}
		cases = append(cases, c)
	}
	// codes
	codes := func(list string) string {
		return PolicyWith("retryableStatusCodes", `"retryableStatusCodes": [`+list+`]`)
	}
	for text, fixed := range map[string]string{
		`"unavailable"`: `"UNAVAILABLE"`, `"Unavailable"`: `"UNAVAILABLE"`, `"DeadlineExceeded"`: `"DEADLINE_EXCEEDED"`, `"deadline-exceeded"`: `"DEADLINE_EXCEEDED"`,
		`"14"`: `14`, `"CANCELED"`: `"CANCELLED"`, `"UNAVAIABLE"`: `"UNAVAILABLE"`, `17`: ``, `"17"`: ``, `"NOPE"`: ``, `14.0`: ``, `"UNAVAIL\u0041BLE"`: `"UNAVAILABLE"`,
	} {
		c := Case{Name: "code " + text, Config: codes(text), Want: []string{refused + text}}
		if fixed != "" {
			c.Fixed = codes(fixed)
		}
		cases = append(cases, c)
	}
	return append(cases, []Case{
		{Name: "no maxAttempts", Config: PolicyWith("maxAttempts", ""), Want: []string{refused + policyText(PolicyWith("maxAttempts", ""))}, Says: "no maxAttempts"},
		{Name: "snake maxAttempts", Config: PolicyWith("maxAttempts", `"max_attempts": 3`), Want: []string{refused + `"max_attempts"`}, Fixed: WithPolicy(GoodPolicy)},
		{Name: "initialBackoff 0s", Config: PolicyWith("initialBackoff", `"initialBackoff": "0s"`), Want: []string{refused + `"0s"`}},
		{Name: "multiplier 0", Config: PolicyWith("backoffMultiplier", `"backoffMultiplier": 0`), Want: []string{refused + `0`}},
		{Name: "no multiplier", Config: PolicyWith("backoffMultiplier", ""), Want: []string{refused + policyText(PolicyWith("backoffMultiplier", ""))}},
		{Name: "no codes", Config: codes(""), Want: []string{refused + "[]"}},
		{Name: "codes missing", Config: PolicyWith("retryableStatusCodes", ""), Want: []string{refused + policyText(PolicyWith("retryableStatusCodes", ""))}},
		{Name: "codes are a string", Config: PolicyWith("retryableStatusCodes", `"retryableStatusCodes": "UNAVAILABLE"`), Want: []string{refused + `"UNAVAILABLE"`}, Fixed: codes(`"UNAVAILABLE"`)},
		{Name: "method without service", Config: Config(Entry(`[{"method": "M"}]`, "")), Want: []string{refused + `{"method": "M"}`}},
		{Name: "name twice", Config: Config(Entry(`[{"service": "p.S"}, {"service": "p.S"}]`, "")), Want: []string{refused + `{"service": "p.S"}`}, Says: "service p.S is named twice"},
		{Name: "default twice", Config: Config(Entry(`[{}]`, ""), Entry(`[{"service": ""}]`, "")), Want: []string{refused + `{"service": ""}`}, Says: "default"},
		{Name: "maxTokens 0", Config: `{"methodConfig": [], "retryThrottling": {"maxTokens": 0, "tokenRatio": 0.1}}`, Want: []string{refused + `0`}},
		{Name: "maxTokens 1001", Config: `{"methodConfig": [], "retryThrottling": {"maxTokens": 1001, "tokenRatio": 0.1}}`, Want: []string{refused + `1001`}},
		{Name: "tokenRatio missing", Config: `{"methodConfig": [], "retryThrottling": {"maxTokens": 10}}`, Want: []string{refused + `{"maxTokens": 10}`}},
		{Name: "tokenRatio in snake case", Config: `{"methodConfig": [], "retryThrottling": {"maxTokens": 10, "token_ratio": 0.1}}`, Want: []string{refused + `"token_ratio"`}, Fixed: `{"methodConfig": [], "retryThrottling": {"maxTokens": 10, "tokenRatio": 0.1}}`},
		{Name: "timeout 1", Config: Config(Entry(`[{}]`, `, "timeout": 1`)), Want: []string{refused + `1`}},
		{Name: "timeout 500ms", Config: Config(Entry(`[{}]`, `, "timeout": "500ms"`)), Want: []string{refused + `"500ms"`}, Fixed: Config(Entry(`[{}]`, `, "timeout": "0.5s"`))},
		{Name: "no balancer", Config: `{"loadBalancingConfig": []}`, Want: []string{refused + "[]"}},
		{Name: "two balancers in one", Config: `{"loadBalancingConfig": [{"round_robin": {}, "pick_first": {}}]}`, Want: []string{refused + `{"round_robin": {}, "pick_first": {}}`}},

		{Name: "clamped", Config: PolicyWith("maxAttempts", `"maxAttempts": 100`), Want: []string{ignored + "100"}, Fixed: PolicyWith("maxAttempts", `"maxAttempts": 5`), Says: "has the effect of 5"},
		{Name: "clamped lower", Config: PolicyWith("maxAttempts", `"maxAttempts": 5`), Limit: 4, Want: []string{ignored + "5"}, Fixed: PolicyWith("maxAttempts", `"maxAttempts": 4`), Says: "WithMaxCallAttempts(4)"},
		{Name: "not clamped", Config: PolicyWith("maxAttempts", `"maxAttempts": 100`), Limit: 200},
		{Name: "limit too small to count", Config: PolicyWith("maxAttempts", `"maxAttempts": 6`), Limit: 1, Want: []string{ignored + "6"}, Fixed: PolicyWith("maxAttempts", `"maxAttempts": 5`)},
		{Name: "retry_policy", Config: Config(Entry(`[{}]`, `, "retry_policy": `+GoodPolicy)), Want: []string{ignored + `"retry_policy"`}, Fixed: Config(Entry(`[{}]`, `, "retryPolicy": `+GoodPolicy)), Says: "the key is retryPolicy"},
		{Name: "retry_policy all in snake case", Config: Config(Entry(`[{}]`, `, "retry_policy": {"max_attempts": "3", "initial_backoff": "100ms", "max_backoff": "1s", "backoff_multiplier": 2, "retryable_status_codes": ["Unavailable"]}`)), Want: []string{ignored + `"retry_policy"`}, Fixed: Config(Entry(`[{}]`, `, "retryPolicy": `+GoodPolicy))},
		{Name: "method_config", Config: strings.Replace(WithPolicy(GoodPolicy), "methodConfig", "method_config", 1), Want: []string{ignored + `"method_config"`}, Fixed: WithPolicy(GoodPolicy)},
		{Name: "methodConfigs", Config: strings.Replace(WithPolicy(GoodPolicy), "methodConfig", "methodConfigs", 1), Want: []string{ignored + `"methodConfigs"`}, Fixed: WithPolicy(GoodPolicy)},
		{Name: "misspelt beyond repair", Config: Config(Entry(`[{}]`, `, "retry_policy": {"maxAttempts": 3}`)), Want: []string{ignored + `"retry_policy"`}},
		{Name: "policy at the top", Config: `{"retryPolicy": ` + GoodPolicy + `}`, Want: []string{ignored + `"retryPolicy"`}, Says: "belongs in an entry of methodConfig"},
		{Name: "throttling in an entry", Config: Config(Entry(`[{}]`, `, "retryThrottling": {"maxTokens": 10, "tokenRatio": 0.1}`)), Want: []string{ignored + `"retryThrottling"`}, Says: "belongs at the top level"},
		{Name: "retryThrottlingPolicy", Config: `{"methodConfig": [` + Entry(`[{}]`, `, "retryPolicy": `+GoodPolicy) + `], "retryThrottlingPolicy": {"maxTokens": 10, "tokenRatio": 0.1}}`, Want: []string{ignored + `"retryThrottlingPolicy"`}, Fixed: `{"methodConfig": [` + Entry(`[{}]`, `, "retryPolicy": `+GoodPolicy) + `], "retryThrottling": {"maxTokens": 10, "tokenRatio": 0.1}}`},
		{Name: "balancer of a misspelt key", Config: `{"loadBalancingConfigs": [{"round_robin": {}}]}`, Want: []string{ignored + `"loadBalancingConfigs"`}, Fixed: `{"loadBalancingConfig": [{"round_robin": {}}]}`},
		{Name: "balancer that may not be there", Config: `{"loadBalancingConfigs": [{"": {}}]}`, Want: []string{ignored + `"loadBalancingConfigs"`}},
		{Name: "both spellings", Config: `{"methodConfig": [], "method_config": []}`, Want: []string{ignored + `"method_config"`}},
		{Name: "hedging", Config: Config(Entry(`[{}]`, `, "hedgingPolicy": {"maxAttempts": 3}`)), Want: []string{ignored + `"hedgingPolicy"`}, Says: "does not implement hedging"},
		{Name: "perAttemptRecvTimeout", Config: PolicyWith("maxAttempts", `"maxAttempts": 3, "perAttemptRecvTimeout": "1s"`), Want: []string{ignored + `"perAttemptRecvTimeout"`}, Says: "does not implement perAttemptRecvTimeout"},
		{Name: "unknown key", Config: `{"shardCount": 3}`, Want: []string{ignored + `"shardCount"`}, Says: "ignores it"},
		{Name: "key twice", Config: `{"methodConfig": [], "MethodConfig": []}`, Want: []string{ignored + `"MethodConfig"`}, Says: "twice"},
		{Name: "no name", Config: `{"methodConfig": [{"retryPolicy": {"maxAttempts": 1}}]}`, Want: []string{ignored + "{"}, Says: "no name"},
		{Name: "name null", Config: Config(Entry("null", `, "retryPolicy": `+GoodPolicy)), Want: []string{ignored + "{"}},
		{Name: "names", Config: `{"methodConfig": [{"names": [{"service": "p.S"}], "retryPolicy": ` + GoodPolicy + `}]}`, Want: []string{ignored + `"names"`}, Fixed: WithPolicy(GoodPolicy)},
		{Name: "empty name", Config: Config(Entry("[]", `, "retryPolicy": `+GoodPolicy)), Want: []string{ignored + "[]"}},
		{Name: "leading slash", Config: Config(Entry(`[{"service": "/p.S"}]`, "")), Want: []string{ignored + `"/p.S"`}, Fixed: Config(Entry(`[{"service": "p.S"}]`, ""))},
		{Name: "service and method in one", Config: Config(Entry(`[{"service": "p.S/M"}]`, "")), Want: []string{ignored + `"p.S/M"`}, Fixed: Config(Entry(`[{"service": "p.S", "method": "M"}]`, ""))},
		{Name: "wildcard", Config: Config(Entry(`[{"service": "*"}]`, "")), Want: []string{ignored + `"*"`}, Fixed: Config(Entry(`[{}]`, ""))},
		{Name: "wildcard beside the default", Config: Config(Entry(`[{"service": "*"}]`, ""), Entry(`[{}]`, "")), Want: []string{ignored + `"*"`}},
		{Name: "wildcard package", Config: Config(Entry(`[{"service": "p.*"}]`, "")), Want: []string{ignored + `"p.*"`}},
		{Name: "method with a slash", Config: Config(Entry(`[{"service": "p.S", "method": "/M"}]`, "")), Want: []string{ignored + `"/M"`}, Fixed: Config(Entry(`[{"service": "p.S", "method": "M"}]`, ""))},
		{Name: "shadowed", Config: Config(Entry(`[{"service": "p.S"}]`, `, "retryPolicy": `+GoodPolicy), Entry(`[{"service": "p.S", "method": "M"}]`, `, "timeout": "1s"`)), Want: []string{ignored + `{"service": "p.S", "method": "M"}`}, Says: "hides the retryPolicy of service p.S"},
		{Name: "default shadowed", Config: Config(Entry(`[{}]`, `, "retryPolicy": `+GoodPolicy), Entry(`[{"service": "p.S"}]`, `, "timeout": "1s"`)), Want: []string{ignored + `{"service": "p.S"}`}, Says: "hides the retryPolicy of the default"},
		{Name: "negative timeout", Config: Config(Entry(`[{}]`, `, "timeout": "-1s"`)), Want: []string{ignored + `"-1s"`}},
		{Name: "no time to retry", Config: Config(Entry(`[{}]`, `, "timeout": "0.07s", "retryPolicy": `+GoodPolicy)), Want: []string{late + `"0.07s"`}, Says: "timeout 70ms ends the call before attempt 2 of 3, for the waits until then take 80ms at least"},
		{Name: "time for one retry", Config: Config(Entry(`[{}]`, `, "timeout": "0.2s", "retryPolicy": `+GoodPolicy)), Want: []string{late + `"0.2s"`}, Says: "before attempt 3 of 3, for the waits until then take 240ms"},
		{Name: "time for all", Config: Config(Entry(`[{}]`, `, "timeout": "0.24s", "retryPolicy": `+GoodPolicy))},
		{Name: "initialBackoff above maxBackoff", Config: PolicyWith("initialBackoff", `"initialBackoff": "2s"`), Want: []string{ignored + `"2s"`}},
		{Name: "shrinking waits", Config: PolicyWith("backoffMultiplier", `"backoffMultiplier": 0.5`), Want: []string{ignored + `0.5`}},
		{Name: "throttling without policy", Config: `{"retryThrottling": {"maxTokens": 0}}`, Want: []string{ignored + `{"maxTokens": 0}`}},
		{Name: "throttling that allows nothing", Config: strings.TrimSuffix(WithPolicy(GoodPolicy), "}") + `, "retryThrottling": {"maxTokens": 2, "tokenRatio": 0.1}}`, Want: []string{ignored + "2"}},
		{Name: "OK among codes", Config: codes(`"OK", "UNAVAILABLE"`), Want: []string{ignored + `"OK"`}, Fixed: codes(`"UNAVAILABLE"`)},
		{Name: "null among codes", Config: codes(`"UNAVAILABLE", null`), Want: []string{ignored + `null`}, Fixed: codes(`"UNAVAILABLE"`)},
		{Name: "OK only", Config: codes(`0`), Want: []string{ignored + `[0]`}},

		{Name: "shed load", Config: codes(`"ABORTED", "RESOURCE_EXHAUSTED", "INTERNAL", "UNAVAILABLE"`), Want: []string{harmful + `"RESOURCE_EXHAUSTED"`}, Fixed: codes(`"ABORTED", "INTERNAL", "UNAVAILABLE"`), Says: "sheds load"},
		{Name: "shed load last", Config: codes(`"UNAVAILABLE", "RESOURCE_EXHAUSTED", 8`), Want: []string{harmful + `"RESOURCE_EXHAUSTED"`}, Fixed: codes(`"UNAVAILABLE"`)},
		{Name: "shed load alone", Config: codes(`"RESOURCE_EXHAUSTED"`), Want: []string{harmful + `"RESOURCE_EXHAUSTED"`}},
		{Name: "hopeless", Config: codes(`"INVALID_ARGUMENT", "UNAVAILABLE", "NOT_FOUND"`), Want: []string{harmful + `"INVALID_ARGUMENT"`}, Fixed: codes(`"UNAVAILABLE"`), Says: "INVALID_ARGUMENT, NOT_FOUND, which the same request meets again"},
		{Name: "both, and OK", Config: codes(`"OK", "UNAVAILABLE", "RESOURCE_EXHAUSTED", "NOT_FOUND"`), Want: []string{ignored + `"OK"`, harmful + `"RESOURCE_EXHAUSTED"`}, Fixed: codes(`"OK", "UNAVAILABLE"`)},
	}...)
}

// policyText is the retryPolicy in a config made by WithPolicy.
func policyText(config string) string {
	_, rest, _ := strings.Cut(config, `"retryPolicy": `)
	return strings.TrimSuffix(rest, "}]}")
}
