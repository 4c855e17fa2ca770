// Package libraries nests the retries of libraries, and their look-alikes.
package libraries

import (
	"context"
	"errors"
	"net/http"
	"time"

	avast "github.com/avast/retry-go/v4"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/cenkalti/backoff/v4"
	backoff5 "github.com/cenkalti/backoff/v5"
	"github.com/hashicorp/go-retryablehttp"
	goretry "github.com/sethvargo/go-retry"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/util/retry"
)

type api interface {
	Get(ctx context.Context, id string) error
}

type server struct {
	api  api
	s3   *s3.Client
	http *retryablehttp.Client
	opts []avast.Option
}

func newServer() *server { return &server{opts: []avast.Option{avast.Attempts(5)}} }

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	s.avastInAvast(ctx)
	s.defaults(ctx)
	s.sdkInLoop(ctx)
	s.goRetry(ctx)
	s.goRetryMarked(ctx)
	s.conflicts(ctx)
	s.permanentLost(ctx)
	s.permanentKept(ctx)
	s.storedOptions(ctx)
	s.appended(ctx, false)
	s.deferred(ctx)
	s.once(ctx)
	s.anyOptions(ctx)
	s.generic(ctx)
	s.helper(ctx)
	s.wrapped(ctx)
	s.sequential(ctx)
	s.endless(ctx)
}

// A constant backoff never stops by itself.
func (s *server) endless(ctx context.Context) error {
	return backoff.Retry(func() error { return s.get(ctx) }, backoff.NewConstantBackOff(time.Second)) // want `api.Get can be called ∞×4 times, without end, for one call of server.endless`
}

// get tries four times.
func (s *server) get(ctx context.Context) error {
	return avast.Do(func() error { return s.api.Get(ctx, "1") }, avast.Attempts(4))
}

// 3 times 4.
func (s *server) avastInAvast(ctx context.Context) error {
	return avast.Do(func() error { return s.get(ctx) }, avast.Attempts(3), avast.Delay(1)) // want `api.Get can be called 3×4 = 12 times`
}

// The defaults multiply: 3 tries of what makes 5 by itself.
func (s *server) defaults(ctx context.Context) (*http.Response, error) {
	return backoff5.Retry(ctx, func() (*http.Response, error) {
		return s.http.Get("http://stock") // want `Client.Get can be called 3×5 = 15 times`
	}, backoff5.WithMaxTries(3))
}

func (s *server) sdkInLoop(ctx context.Context) (err error) {
	for i := 0; i < 5; i++ { // want `waits 1s before each time .*\(CTX311\)`
		if _, err = s.s3.PutObject(ctx, &s3.PutObjectInput{}); err == nil { // want `Client.PutObject can be called 5×3 = 15 times`
			return nil
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return err
}

func (s *server) inner(ctx context.Context) error {
	b := goretry.WithMaxRetries(2, goretry.NewExponential(1))
	return goretry.Do(ctx, b, func(ctx context.Context) error {
		return goretry.RetryableError(s.api.Get(ctx, "1"))
	})
}

// What the inner layer gives up with is not marked any more, so that the
// outer one does not try again.
func (s *server) goRetry(ctx context.Context) error {
	b := goretry.WithMaxRetries(2, goretry.NewExponential(1))
	return goretry.Do(ctx, b, func(ctx context.Context) error { return s.inner(ctx) })
}

func (s *server) goRetryMarked(ctx context.Context) error {
	b := goretry.WithMaxRetries(2, goretry.NewExponential(1))
	return goretry.Do(ctx, b, func(ctx context.Context) error {
		if err := s.inner(ctx); err != nil { // want `3×3 = 9 times`
			return goretry.RetryableError(err)
		}
		return nil
	})
}

func (s *server) update(ctx context.Context) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error { return s.api.Get(ctx, "1") })
}

func (s *server) conflicts(ctx context.Context) error {
	if err := retry.RetryOnConflict(wait.Backoff{Steps: 3}, func() error { return s.update(ctx) }); err != nil { // want `3×5 = 15 times`
		return err
	}
	return retry.RetryOnConflict(retry.DefaultBackoff, func() error { return s.update(ctx) }) // want `4×5 = 20 times`
}

var errGone = errors.New("gone")

func (s *server) permanent(ctx context.Context) error {
	return backoff.Retry(func() error {
		err := s.api.Get(ctx, "1")
		if errors.Is(err, errGone) {
			return backoff.Permanent(err)
		}
		return err
	}, backoff.WithContext(backoff.WithMaxRetries(backoff.NewExponentialBackOff(), 1), ctx))
}

// The mark that ends the inner layer is gone when the outer one looks.
func (s *server) permanentLost(ctx context.Context) error {
	b := backoff.WithMaxRetries(backoff.NewExponentialBackOff(), 2)
	return backoff.Retry(func() error { return s.permanent(ctx) }, b) // want `server.permanent stops at errors that are marked for it \(libraries/libraries.go:\d+\) and returns them without the mark, so that server.permanentLost tries again on them all the same; mark them again \(CTX309\)`
}

// Here every error of the inner layer ends the outer one.
func (s *server) permanentKept(ctx context.Context) error {
	b := backoff.WithMaxRetries(backoff.NewExponentialBackOff(), 4)
	return backoff.Retry(func() error {
		if err := s.get(ctx); err != nil {
			return backoff.Permanent(err)
		}
		return nil
	}, b)
}

// Options that a field holds are read where the package stores them.
func (s *server) storedOptions(ctx context.Context) error {
	return avast.Do(func() error { return s.get(ctx) }, s.opts...) // want `5×4 = 20 times`
}

func (s *server) appended(ctx context.Context, slow bool) error {
	opts := []avast.Option{avast.Delay(1)}
	if slow {
		opts = append(opts, avast.Delay(100))
	}
	opts = append(opts, avast.Attempts(6))
	return avast.Do(func() error { return s.get(ctx) }, opts...) // want `6×4 = 24 times`
}

// A retry in a defer is one after the other.
func (s *server) deferred(ctx context.Context) error {
	defer s.get(ctx)
	return s.get(ctx)
}

// One attempt is no layer.
func (s *server) once(ctx context.Context) error {
	return avast.Do(func() error { return s.get(ctx) }, avast.Attempts(1))
}

func (s *server) anyOptions(ctx context.Context, opts ...avast.Option) error {
	return avast.Do(func() error { return s.deep(ctx) }, opts...) // want `\?×6, at least 12 times`
}

func (s *server) deep(ctx context.Context) error {
	return avast.Do(func() error { return s.api.Get(ctx, "1") }, avast.Attempts(6))
}

func (s *server) generic(ctx context.Context) (int, error) {
	return avast.DoWithData(func() (int, error) { return 1, s.get(ctx) }, avast.Attempts(3)) // want `3×4 = 12 times`
}

// op is a method value that a variable holds.
func (s *server) helper(ctx context.Context) error {
	op := s.load
	return avast.Do(op, attempts(3)) // want `3×4 = 12 times`
}

func attempts(n uint) avast.Option { return avast.Attempts(3) }

func (s *server) load() error {
	return avast.Do(func() error { return s.api.Get(context.Background(), "1") }, avast.Attempts(4))
}

// wrapper is the package's own name for the library.
func wrapper(ctx context.Context, n uint, op func() error) error {
	return avast.Do(op, avast.Attempts(n))
}

func (s *server) wrapped(ctx context.Context) error {
	return wrapper(ctx, 7, func() error { return s.get(ctx) }) // want `7×4 = 28 times`
}

func (s *server) sequential(ctx context.Context) error {
	if err := s.get(ctx); err != nil {
		return err
	}
	for range 3 {
		if err := s.get(ctx); err != nil {
			return err
		}
	}
	return s.get(ctx)
}
