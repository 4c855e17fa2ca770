package tested

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
)

// A test is the root of what it calls.
func TestLoad(t *testing.T) {
	s := open(context.Background())
	_, _ = s.Load(context.Background(), "1")
	_, _ = s.Load(context.TODO(), "1")
}

// The test's own context has ended when its clean-up runs.
func TestCleanup(t *testing.T) {
	ctx := t.Context()
	s := open(ctx)
	t.Cleanup(func() { _ = s.Release(context.Background()) })
	_, _ = s.Load(ctx, "1")
}

// A table that gives contexts to some rows only.
func TestTable(t *testing.T) {
	type args struct {
		ctx context.Context
		id  string
	}
	for _, tc := range []args{{id: "1"}, {ctx: context.Background(), id: "2"}} {
		if tc.ctx == nil {
			tc.ctx = t.Context()
		}
		_, _ = open(tc.ctx).Load(tc.ctx, tc.id)
	}
}

// Requests of tests.
func TestRequest(t *testing.T) {
	srv := httptest.NewServer(http.NotFoundHandler())
	defer srv.Close()
	res, err := http.Get(srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	req, err := http.NewRequest(http.MethodGet, srv.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	if res, err := http.DefaultClient.Do(req); err == nil {
		_ = res.Body.Close()
	}
	http.NotFoundHandler().ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil))
}

// suite is what a framework for tests runs, by names.
type suite struct{ s store }

func (u *suite) SetupTest() { u.s = open(context.Background()) }

func (u *suite) TestLoad() { _, _ = u.s.Load(context.Background(), "1") }

// loads is a helper of tests that has a context besides.
func loads(t *testing.T, ctx context.Context, s store) {
	if _, err := s.Load(context.Background(), "1"); err != nil {
		t.Fatal(err)
	}
}

// restart has a handler's shape, and is the test's own.
func restart(w http.ResponseWriter, r *http.Request) {
	_, _ = open(r.Context()).Load(context.Background(), "1")
}
