// Package single has the patterns that one service shows by itself. The names
// of the functions are those in the table of the test.
package single

import (
	"context"
	"errors"
	"net/http"
	"time"

	"cloud.google.com/go/storage"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob"
	avast "github.com/avast/retry-go/v4"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/cenkalti/backoff/v4"
	backoff5 "github.com/cenkalti/backoff/v5"
	mwretry "github.com/grpc-ecosystem/go-grpc-middleware/v2/interceptors/retry"
	"github.com/hashicorp/go-retryablehttp"
	"github.com/redis/go-redis/v9"
	goretry "github.com/sethvargo/go-retry"
	"google.golang.org/grpc"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/util/retry"

	"patterns/pb"
	"patterns/retryx"
)

type api interface {
	Get(ctx context.Context) error
}

type server struct {
	api   api
	rc    *retryablehttp.Client
	s3    *s3.Client
	stock pb.StockClient
	price pb.PriceClient
	store store
	queue chan string
}

func newServer(w api) *server {
	const pricePolicy = `{"methodConfig": [{"name": [{"service": "Price"}], "retryPolicy": {"maxAttempts": 4, "initialBackoff": "0.1s", "maxBackoff": "1s", "backoffMultiplier": 2, "retryableStatusCodes": ["UNAVAILABLE"]}}]}`
	cc, _ := grpc.NewClient("stock", grpc.WithDefaultServiceConfig(stockPolicy))
	dead, _ := grpc.NewClient("price", grpc.WithDefaultServiceConfig(pricePolicy))
	return &server{api: w, rc: retryablehttp.NewClient(), stock: pb.NewStockClient(cc), price: pb.NewPriceClient(dead), store: &disk{w}, queue: make(chan string, 1)}
}

const stockPolicy = `{"methodConfig": [{"name": [{"service": "shop.v1.Stock"}], "retryPolicy": {"maxAttempts": 4, "initialBackoff": "0.1s", "maxBackoff": "1s", "backoffMultiplier": 2, "retryableStatusCodes": ["UNAVAILABLE"]}}]}`

func (s *server) fourTimes(ctx context.Context) error {
	return avast.Do(func() error { return s.api.Get(ctx) }, avast.Attempts(4))
}

func (s *server) p01(ctx context.Context) error {
	return avast.Do(func() error { return s.fourTimes(ctx) }, avast.Attempts(3))
}

func (s *server) p02(ctx context.Context) (*http.Response, error) {
	return backoff5.Retry(ctx, func() (*http.Response, error) { return s.rc.Get("http://stock") }, backoff5.WithMaxTries(3))
}

func p03() (*grpc.ClientConn, error) {
	return grpc.NewClient("stock", grpc.WithDefaultServiceConfig(stockPolicy), grpc.WithUnaryInterceptor(mwretry.UnaryClientInterceptor(mwretry.WithMax(3))))
}

func (s *server) p07(ctx context.Context) (err error) {
	for i := 0; i < 5; i++ {
		if _, err = s.s3.PutObject(ctx, &s3.PutObjectInput{}); err == nil {
			break
		}
		time.Sleep(time.Second << i)
	}
	return err
}

func p09(ctx context.Context) error {
	c, err := azblob.NewClient("https://blobs", &azblob.ClientOptions{Retry: policy.RetryOptions{MaxRetries: 0}}) // no SDK retries
	if err != nil {
		return err
	}
	return avast.Do(func() error {
		_, err := c.DeleteBlob(ctx, "x", "y")
		return err
	}, avast.Attempts(3))
}

func p10(ctx context.Context) error {
	c := redis.NewClusterClient(&redis.ClusterOptions{MaxRetries: 3})
	return avast.Do(func() error { return c.Get(ctx, "x").Err() }, avast.Attempts(3))
}

func (s *server) inner(ctx context.Context) error {
	return goretry.Do(ctx, goretry.WithMaxRetries(2, goretry.NewExponential(1)), func(ctx context.Context) error {
		return goretry.RetryableError(s.api.Get(ctx))
	})
}

func (s *server) p11passed(ctx context.Context) error {
	return goretry.Do(ctx, goretry.WithMaxRetries(2, goretry.NewExponential(1)), func(ctx context.Context) error { return s.inner(ctx) })
}

func (s *server) p11marked(ctx context.Context) error {
	return goretry.Do(ctx, goretry.WithMaxRetries(2, goretry.NewExponential(1)), func(ctx context.Context) error {
		return goretry.RetryableError(s.inner(ctx))
	})
}

func (s *server) p12stops(ctx context.Context) error {
	return wait.ExponentialBackoff(wait.Backoff{Steps: 5}, func() (bool, error) {
		err := s.fourTimes(ctx)
		return err == nil, err
	})
}

func (s *server) p12swallows(ctx context.Context) error {
	return wait.ExponentialBackoff(wait.Backoff{Steps: 5}, func() (bool, error) {
		if err := s.fourTimes(ctx); err != nil {
			return false, nil
		}
		return true, nil
	})
}

func (s *server) update(ctx context.Context) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error { return s.api.Get(ctx) })
}

// Reconcile is run again by its queue when it fails, which is no layer.
func (s *server) Reconcile(ctx context.Context) error { return s.update(ctx) }

func (s *server) p13(ctx context.Context) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error { return s.update(ctx) })
}

var errGone = errors.New("gone")

func (s *server) permanent(ctx context.Context) error {
	return backoff.Retry(func() error {
		err := s.api.Get(ctx)
		if errors.Is(err, errGone) {
			return backoff.Permanent(err)
		}
		return err
	}, backoff.WithMaxRetries(backoff.NewExponentialBackOff(), 1))
}

func (s *server) p14(ctx context.Context) error {
	return backoff.Retry(func() error { return s.permanent(ctx) }, backoff.WithMaxRetries(backoff.NewExponentialBackOff(), 1))
}

func (s *server) p15(ctx context.Context, items []string) error {
	if err := s.fourTimes(ctx); err != nil {
		return err
	}
	for range items {
		if err := s.fourTimes(ctx); err != nil {
			return err
		}
	}
	return s.fourTimes(ctx)
}

func (s *server) p16(ctx context.Context) error {
	return avast.Do(func() error {
		_, err := s.price.Get(ctx, &pb.Msg{})
		return err
	}, avast.Attempts(3))
}

type store interface{ Get(ctx context.Context) error }

type disk struct{ api api }

func (d *disk) Get(ctx context.Context) error {
	return avast.Do(func() error { return d.api.Get(ctx) }, avast.Attempts(3))
}

func (s *server) p17(ctx context.Context) error {
	return avast.Do(func() error { return s.store.Get(ctx) }, avast.Attempts(3))
}

type images struct{ object *storage.ObjectHandle }

func (i images) ServeHTTP(w http.ResponseWriter, r *http.Request) { p18(i.object) }

func p18(o *storage.ObjectHandle) error {
	return avast.Do(func() error {
		_, err := o.NewReader(context.Background())
		return err
	}, avast.Attempts(5))
}

// Only the queue is retried here. What takes from it retries on its own.
func (s *server) p19queue(ctx context.Context) error {
	return avast.Do(func() error {
		select {
		case s.queue <- "x":
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}, avast.Attempts(5))
}

func (s *server) consume(ctx context.Context) {
	for range s.queue {
		s.fourTimes(ctx)
	}
}

func (s *server) p20(ctx context.Context) error {
	return retryx.Do(ctx, func() error {
		_, err := s.stock.Get(ctx, &pb.Msg{})
		return err
	})
}

func (s *server) p20poll(ctx context.Context) error {
	return retryx.Until(ctx, func() (bool, error) {
		_, err := s.stock.Get(ctx, &pb.Msg{})
		return err == nil, err
	})
}
