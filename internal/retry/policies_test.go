package retry

import (
	"strings"
	"testing"
)

func TestPolicies(t *testing.T) {
	if _, err := parsePolicies("policies.txt", policiesText); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		function string
		set      int64
		want     string
	}{
		{"github.com/avast/retry-go.Do", 0, "0"},
		{"github.com/avast/retry-go/v4.Do", 0, "∞"},
		{"github.com/avast/retry-go/v4.Do", 3, "3"},
		{"github.com/cenkalti/backoff/v3.Retry", 0, "25–40"},
		{"github.com/cenkalti/backoff/v4.Retry", 0, "1"},
		{"github.com/cenkalti/backoff/v4.Retry", 3, "4"},
		{"github.com/cenkalti/backoff/v5.Retry", 3, "3"},
		{"github.com/sethvargo/go-retry.Do", 2, "3"},
	} {
		p := FuncPolicy(test.function)
		if p == nil {
			t.Errorf("%s has no policy", test.function)
			continue
		}
		if got := p.Attempts(test.set).String(); got != test.want {
			t.Errorf("%s with %d makes %s attempts, want %s", test.function, test.set, got, test.want)
		}
	}
}

func TestClientPolicy(t *testing.T) {
	for _, test := range []struct{ pkg, typ, want string }{
		{"github.com/aws/aws-sdk-go-v2/service/s3", "Client", "3"},
		{"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container", "Client", "4"},
		{"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/dns/armdns", "RecordSetsClient", "4"},
		{"github.com/redis/go-redis/v9", "ClusterClient", "4"},
		{"github.com/aws/aws-sdk-go-v2/service/s3", "Presigner", ""},
		{"net/http", "Client", ""},
	} {
		got := ""
		if p := ClientPolicy(test.pkg, test.typ); p != nil {
			got = p.Default.String()
		}
		if got != test.want {
			t.Errorf("%s.%s makes %q attempts, want %q", test.pkg, test.typ, got, test.want)
		}
	}
}

func TestPolicyErrors(t *testing.T) {
	for _, test := range []struct{ line, want string }{
		{"again x.Do fn=0", `unknown kind "again"`},
		{"do", "do without a name"},
		{"do x.Do", "do without fn"},
		{"do x.Do fn=one", "invalid syntax"},
		{"do x.Do fn=0 default=few", `bad count "few"`},
		{"do x.Do fn=0 default=4-2", `bad count "4-2"`},
		{"do x.Do fn=0 zero=many", `unknown zero "many"`},
		{"do x.Do fn=0 colour=red", `unknown attribute "colour"`},
		{"do x.Do fn=0\ndo x.Do fn=0", "p:2: a second line on x.Do"},
		{"client x.C fn=0", "a client has no fn"},
		{"trap x.F value=0 unquoted", "a trap is written"},
	} {
		_, err := parsePolicies("p", test.line)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: error %v, want %q", test.line, err, test.want)
		}
	}
}
