package conformance

import (
	"context"
	"errors"
	"go/types"
	"slices"
	"strings"
	"testing"
	"time"

	avast "github.com/avast/retry-go"
	avast3 "github.com/avast/retry-go/v3"
	avast4 "github.com/avast/retry-go/v4"
	_ "github.com/avast/retry-go/v5" // its names are checked
	_ "github.com/cenkalti/backoff"  // likewise
	backoff3 "github.com/cenkalti/backoff/v3"
	backoff4 "github.com/cenkalti/backoff/v4"
	backoff5 "github.com/cenkalti/backoff/v5"
	"github.com/eapache/go-resiliency/retrier"
	goretry "github.com/sethvargo/go-retry"
	"golang.org/x/tools/go/packages"

	"github.com/ctxprop/ctxprop/internal/retry"
)

// TestRetryPolicies runs what the table of retry policies describes: how often
// a library really calls a function that always fails, with a count and
// without one.
func TestRetryPolicies(t *testing.T) {
	errFailed := errors.New("failed")
	calls := 0
	fail := func() error { calls++; return errFailed }
	for _, test := range []struct {
		function string
		run      func(n int)
		counts   []int64
	}{
		{"github.com/avast/retry-go.Do", func(n int) { _ = avast.Do(fail, avast.Attempts(uint(n)), avast.Delay(0)) }, []int64{0, 1, 3}},
		{"github.com/avast/retry-go/v3.Do", func(n int) { _ = avast3.Do(fail, avast3.Attempts(uint(n)), avast3.Delay(0)) }, []int64{0, 1, 3}},
		{"github.com/avast/retry-go/v4.Do", func(n int) { _ = avast4.Do(fail, avast4.Attempts(uint(n)), avast4.Delay(0)) }, []int64{1, 3}},
		{"github.com/cenkalti/backoff/v3.Retry", func(n int) { _ = backoff3.Retry(fail, backoff3.WithMaxRetries(&backoff3.ZeroBackOff{}, uint64(n))) }, []int64{1, 3}},
		{"github.com/cenkalti/backoff/v4.Retry", func(n int) { _ = backoff4.Retry(fail, backoff4.WithMaxRetries(&backoff4.ZeroBackOff{}, uint64(n))) }, []int64{0, 1, 3}},
		{"github.com/cenkalti/backoff/v5.Retry", func(n int) {
			_, _ = backoff5.Retry(t.Context(), func() (int, error) { return 0, fail() }, backoff5.WithMaxTries(uint(n)), backoff5.WithBackOff(&backoff5.ZeroBackOff{}))
		}, []int64{1, 3}},
		{"github.com/sethvargo/go-retry.Do", func(n int) {
			_ = goretry.Do(t.Context(), goretry.WithMaxRetries(uint64(n), goretry.NewConstant(1)), func(context.Context) error { return goretry.RetryableError(fail()) })
		}, []int64{0, 1, 3}},
		{"(*github.com/eapache/go-resiliency/retrier.Retrier).Run", func(n int) { _ = retrier.New(retrier.ConstantBackoff(n, time.Nanosecond), nil).Run(fail) }, []int64{1, 3}},
	} {
		p := retry.FuncPolicy(test.function)
		if p == nil {
			t.Errorf("%s has no policy", test.function)
			continue
		}
		for _, n := range test.counts {
			calls = 0
			test.run(int(n))
			if want := p.Attempts(n); retry.Exactly(calls) != want {
				t.Errorf("%s with %d: %d calls, the table says %v", test.function, n, calls, want)
			}
		}
	}
	calls = 0
	_ = avast4.Do(fail, avast4.Delay(0))
	if p := retry.FuncPolicy("github.com/avast/retry-go/v4.Do"); retry.Exactly(calls) != p.Default {
		t.Errorf("avast v4 by default: %d calls, the table says %v", calls, p.Default)
	}
}

// TestStrippedMarks: what a retry gives up with has lost the mark that ended it.
func TestStrippedMarks(t *testing.T) {
	errFailed := errors.New("failed")
	outer := 0
	_ = backoff4.Retry(func() error {
		outer++
		return backoff4.Retry(func() error { return backoff4.Permanent(errFailed) }, &backoff4.ZeroBackOff{})
	}, backoff4.WithMaxRetries(&backoff4.ZeroBackOff{}, 2))
	if p := retry.FuncPolicy("github.com/cenkalti/backoff/v4.Retry"); (outer == 3) != p.Strips {
		t.Errorf("cenkalti v4 makes %d outer calls, the table says that marks are stripped: %t", outer, p.Strips)
	}
	outer = 0
	once := func(context.Context) error {
		outer++
		return goretry.Do(t.Context(), goretry.WithMaxRetries(1, goretry.NewConstant(1)), func(context.Context) error { return goretry.RetryableError(errFailed) })
	}
	_ = goretry.Do(t.Context(), goretry.WithMaxRetries(2, goretry.NewConstant(1)), once)
	if p := retry.FuncPolicy("github.com/sethvargo/go-retry.Do"); (outer == 1) != p.Strips {
		t.Errorf("go-retry makes %d outer calls, the table says that marks are stripped: %t", outer, p.Strips)
	}
}

// TestPolicySymbols: what the table names is there, in those of its libraries
// that this module requires.
func TestPolicySymbols(t *testing.T) {
	byPackage := map[string][]string{}
	for _, name := range retry.PolicySymbols() {
		if strings.Contains(strings.TrimPrefix(name, "(*"), "*") {
			continue // a pattern
		}
		plain := strings.TrimLeft(name, "(*")
		i := strings.LastIndexByte(plain, '/') + 1
		byPackage[plain[:i+strings.IndexByte(plain[i:], '.')]] = append(byPackage[plain[:i+strings.IndexByte(plain[i:], '.')]], name)
	}
	var paths []string
	for p := range byPackage {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	pkgs, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedTypes | packages.NeedImports}, paths...)
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, pkg := range pkgs {
		if len(pkg.Errors) > 0 || pkg.Types == nil {
			continue // not required here
		}
		names := fullNames(pkg.Types)
		for _, want := range byPackage[pkg.PkgPath] {
			checked++
			if !slices.Contains(names, want) {
				t.Errorf("%s has no %s", pkg.PkgPath, want)
			}
		}
	}
	if checked < 20 {
		t.Errorf("only %d names were checked", checked)
	}
}

// fullNames lists a package's functions, methods, types and fields.
func fullNames(pkg *types.Package) []string {
	var out []string
	for _, name := range pkg.Scope().Names() {
		switch obj := pkg.Scope().Lookup(name).(type) {
		case *types.Func:
			out = append(out, obj.FullName())
		case *types.TypeName:
			out = append(out, pkg.Path()+"."+name)
			n, ok := types.Unalias(obj.Type()).(*types.Named)
			if !ok {
				continue
			}
			for m := range n.Methods() {
				out = append(out, m.FullName())
			}
			switch u := n.Underlying().(type) {
			case *types.Struct:
				for f := range u.Fields() {
					out = append(out, pkg.Path()+"."+name+"."+f.Name())
				}
			case *types.Interface:
				for m := range u.Methods() {
					out = append(out, m.FullName())
				}
			}
		}
	}
	return out
}
