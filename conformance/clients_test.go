//lint:file-ignore SA1019 Services still retry by the deprecated SDK, whose defaults are measured here.

package conformance

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob"
	"github.com/IBM/sarama"
	awsv2 "github.com/aws/aws-sdk-go-v2/aws"
	s3v2 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go/aws"
	"github.com/aws/aws-sdk-go/aws/credentials"
	"github.com/aws/aws-sdk-go/aws/session"
	"github.com/aws/aws-sdk-go/service/dynamodb"
	"github.com/aws/aws-sdk-go/service/s3"
	"github.com/elastic/go-elasticsearch/v8"
	resty2 "github.com/go-resty/resty/v2"
	"github.com/gojek/heimdall/v7/httpclient"
	"github.com/hashicorp/go-retryablehttp"
	vault "github.com/hashicorp/vault/api"
	"github.com/redis/go-redis/v9"
	kafka "github.com/segmentio/kafka-go"

	"github.com/ctxprop/ctxprop/internal/retry"
)

// away is a server that is not there, or that answers with a status.
type away struct {
	status int
	calls  int
}

func (a *away) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		_ = req.Body.Close()
	}
	a.calls++
	if a.status == 0 {
		return nil, errors.New("connection refused")
	}
	return &http.Response{StatusCode: a.status, Status: http.StatusText(a.status), Header: http.Header{}, Body: io.NopCloser(strings.NewReader("")), Request: req, ProtoMajor: 1, ProtoMinor: 1}, nil
}

// Do makes it a transport of azcore.
func (a *away) Do(req *http.Request) (*http.Response, error) { return a.RoundTrip(req) }

// unset is the count of a client that is not told one.
const unset = -100

// TestClientPolicies: how often a library's client really sends one request to a
// server that is away, by default and with a count. Waits take virtual time.
func TestClientPolicies(t *testing.T) {
	t.Setenv("AWS_CA_BUNDLE", "") // which wants a transport of its own
	sess := func(rt http.RoundTripper, n int) *session.Session {
		cfg := aws.NewConfig().WithRegion("eu-west-1").WithCredentials(credentials.NewStaticCredentials("a", "b", "")).WithHTTPClient(&http.Client{Transport: rt})
		if n != unset {
			cfg.MaxRetries = aws.Int(n)
		}
		s, err := session.NewSession(cfg)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for _, test := range []struct {
		pkg, typ string
		status   int
		counts   []int
		run      func(t *testing.T, server *away, n int)
	}{
		{"github.com/hashicorp/go-retryablehttp", "Client", 503, []int{unset, 0, 2}, func(t *testing.T, server *away, n int) {
			c := retryablehttp.NewClient()
			c.HTTPClient.Transport, c.Logger = server, nil
			if n != unset {
				c.RetryMax = n
			}
			_, _ = c.Get("http://stock")
		}},
		{"github.com/hashicorp/vault/api", "Logical", 503, []int{unset, 0, 4}, func(t *testing.T, server *away, n int) {
			cfg := vault.DefaultConfig()
			cfg.HttpClient.Transport = server
			if n != unset {
				cfg.MaxRetries = n
			}
			c, err := vault.NewClient(cfg)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = c.Logical().ReadWithContext(t.Context(), "secret/x")
		}},
		{"github.com/go-resty/resty/v2", "Request", 0, []int{unset, 0, 3}, func(t *testing.T, server *away, n int) {
			c := resty2.New().SetTransport(server).SetLogger(quiet{})
			if n != unset {
				c.SetRetryCount(n)
			}
			_, _ = c.R().SetContext(t.Context()).Get("http://stock")
		}},
		{"github.com/gojek/heimdall/v7/httpclient", "Client", 503, []int{unset, 0, 3}, func(t *testing.T, server *away, n int) {
			opts := []httpclient.Option{httpclient.WithHTTPClient(&http.Client{Transport: server})}
			if n != unset {
				opts = append(opts, httpclient.WithRetryCount(n))
			}
			_, _ = httpclient.NewClient(opts...).Get("http://stock", nil)
		}},
		{"github.com/aws/aws-sdk-go-v2/service/s3", "Client", 503, []int{unset, 0, 2}, func(t *testing.T, server *away, n int) {
			o := s3v2.Options{
				Region: "eu-west-1", HTTPClient: &http.Client{Transport: server},
				Credentials: awsv2.CredentialsProviderFunc(staticCredentials),
			}
			if n != unset {
				o.RetryMaxAttempts = n
			}
			_, _ = s3v2.New(o).GetObject(t.Context(), &s3v2.GetObjectInput{Bucket: aws.String("b"), Key: aws.String("k")})
		}},
		{"github.com/aws/aws-sdk-go/service/s3", "S3", 503, []int{unset, -1, 0, 2}, func(t *testing.T, server *away, n int) {
			_, _ = s3.New(sess(server, n)).GetObjectWithContext(t.Context(), &s3.GetObjectInput{Bucket: aws.String("b"), Key: aws.String("k")})
		}},
		{"github.com/aws/aws-sdk-go/service/dynamodb", "DynamoDB", 503, []int{unset, 0, 2}, func(t *testing.T, server *away, n int) {
			_, _ = dynamodb.New(sess(server, n)).ListTablesWithContext(t.Context(), &dynamodb.ListTablesInput{})
		}},
		{"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob", "Client", 503, []int{unset, -1, 0, 2}, func(t *testing.T, server *away, n int) {
			o := &azblob.ClientOptions{ClientOptions: azcore.ClientOptions{Transport: server}}
			if n != unset {
				o.Retry = policy.RetryOptions{MaxRetries: int32(n)}
			}
			c, err := azblob.NewClientWithNoCredential("https://blobs.example", o)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = c.DeleteBlob(t.Context(), "x", "y", nil)
		}},
		{"github.com/elastic/go-elasticsearch/v8/esapi", "Info", 503, []int{unset, 0, 2}, func(t *testing.T, server *away, n int) {
			cfg := elasticsearch.Config{Transport: server}
			if n != unset {
				cfg.MaxRetries = n
			}
			c, err := elasticsearch.NewClient(cfg)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = c.Info()
		}},
	} {
		p := retry.ClientPolicy(test.pkg, test.typ)
		if p == nil {
			t.Errorf("%s.%s has no policy", test.pkg, test.typ)
			continue
		}
		for _, n := range test.counts {
			want := p.Default
			if n != unset {
				want = p.Attempts(int64(n))
			}
			server := &away{status: test.status}
			synctest.Test(t, func(t *testing.T) { test.run(t, server, n) })
			if retry.Exactly(server.calls) != want {
				t.Errorf("%s.%s with %d (%d: unset): %d calls, the table says %v", test.pkg, test.typ, n, unset, server.calls, want)
			}
		}
	}
}

// TestClientDefaults: defaults that a client tells.
func TestClientDefaults(t *testing.T) {
	w := &kafka.Writer{Addr: kafka.TCP("localhost:1")}
	cluster := redis.NewClusterClient(&redis.ClusterOptions{Addrs: []string{"localhost:1"}}).Options()
	for _, test := range []struct {
		pkg, typ string
		retries  int64
	}{
		{"github.com/redis/go-redis/v9", "Client", int64(redis.NewClient(&redis.Options{}).Options().MaxRetries)},
		{"github.com/redis/go-redis/v9", "ClusterClient", int64(cluster.MaxRedirects)},
		{"github.com/IBM/sarama", "SyncProducer", int64(sarama.NewConfig().Producer.Retry.Max)},
		{"github.com/segmentio/kafka-go", "Writer", w.Stats().MaxAttempts},
	} {
		p := retry.ClientPolicy(test.pkg, test.typ)
		if p == nil || p.Attempts(test.retries) != p.Default {
			t.Errorf("%s.%s: the default is %d, the table says %+v", test.pkg, test.typ, test.retries, p)
		}
	}
}

func staticCredentials(context.Context) (awsv2.Credentials, error) {
	return awsv2.Credentials{AccessKeyID: "a", SecretAccessKey: "b"}, nil
}

// quiet is a logger of resty's.
type quiet struct{}

func (quiet) Errorf(string, ...any) {}
func (quiet) Warnf(string, ...any)  {}
func (quiet) Debugf(string, ...any) {}
