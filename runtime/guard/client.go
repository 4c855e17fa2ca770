package guard

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"go.opentelemetry.io/otel/metric"
	"google.golang.org/grpc"
	"google.golang.org/grpc/status"
)

// ClientOptions configure a [Client].
type ClientOptions struct {
	// DefaultTimeout of unary calls whose context has no deadline; 0 leaves them
	// without one. DefaultTimeoutFor replaces it for full methods such as
	// "/orders.Orders/Get", streams included, which have no default otherwise.
	DefaultTimeout    time.Duration
	DefaultTimeoutFor map[string]time.Duration
	// Share of the time that the context has left which the callee gets, default
	// 0.7; the rest is for what the caller does afterwards. 1 gives all of it.
	// ShareFor replaces it for full methods.
	Share    float64
	ShareFor map[string]float64
	// Retry of unary calls; the zero value does not retry.
	Retry Retry
	// MeterProvider of the metrics, default is the global one.
	MeterProvider metric.MeterProvider
}

// DefaultShare is the share of the remaining time that a callee gets.
const DefaultShare = 0.7

// A Client guards the calls on gRPC connections. Its retry budget is shared by
// the connections that use it: make one per callee.
type Client struct {
	opts    ClientOptions
	metrics *clientMetrics
	methods methods[clientMethod]
	budget  *budget
}

type clientMethod struct {
	timeout, streamTimeout time.Duration // without a deadline; 0 is none
	share                  float64
	metrics                clientMethodMetrics
}

// NewClient returns a Client, or an error that names the option that is wrong.
func NewClient(opts ClientOptions) (*Client, error) {
	if opts.Share == 0 {
		opts.Share = DefaultShare
	}
	if opts.DefaultTimeout < 0 {
		return nil, fmt.Errorf("guard: DefaultTimeout is negative: %v", opts.DefaultTimeout)
	}
	if err := checkShare("Share", opts.Share); err != nil {
		return nil, err
	}
	for _, method := range slices.Sorted(maps.Keys(opts.ShareFor)) {
		if err := checkMethod("ShareFor", method); err != nil {
			return nil, err
		}
		if err := checkShare(fmt.Sprintf("ShareFor[%q]", method), opts.ShareFor[method]); err != nil {
			return nil, err
		}
	}
	for _, method := range slices.Sorted(maps.Keys(opts.DefaultTimeoutFor)) {
		if err := checkMethod("DefaultTimeoutFor", method); err != nil {
			return nil, err
		}
		if d := opts.DefaultTimeoutFor[method]; d < 0 {
			return nil, fmt.Errorf("guard: DefaultTimeoutFor[%q] is negative: %v", method, d)
		}
	}
	opts.Retry = opts.Retry.withDefaults()
	if err := opts.Retry.validate(); err != nil {
		return nil, err
	}
	c := &Client{opts: opts, budget: newBudget(opts.Retry)}
	var err error
	if c.metrics, err = newClientMetrics(opts.MeterProvider); err != nil {
		return nil, err
	}
	c.methods.make = c.method
	return c, nil
}

func checkShare(option string, share float64) error {
	if share > 0 && share <= 1 {
		return nil
	}
	return fmt.Errorf("guard: %s is %v: it is the callee's share of the remaining time, above 0 and at most 1", option, share)
}

func (c *Client) method(name string) *clientMethod {
	m := &clientMethod{timeout: c.opts.DefaultTimeout, share: c.opts.Share, metrics: c.metrics.of(name)}
	if d, ok := c.opts.DefaultTimeoutFor[name]; ok {
		m.timeout, m.streamTimeout = d, d
	}
	if share, ok := c.opts.ShareFor[name]; ok {
		m.share = share
	}
	return m
}

// Options returns the interceptors as options of grpc.NewClient.
func (c *Client) Options() []grpc.DialOption {
	return []grpc.DialOption{grpc.WithChainUnaryInterceptor(c.Unary), grpc.WithChainStreamInterceptor(c.Stream)}
}

// budgetOf returns the callee's time: its share of what ctx has left, or the
// default. 0 is no limit. The error is that of a context that has ended.
func budgetOf(ctx context.Context, share float64, def time.Duration) (time.Duration, error) {
	if err := ctx.Err(); err != nil {
		return 0, status.FromContextError(err).Err()
	}
	deadline, ok := ctx.Deadline()
	if !ok {
		return def, nil
	}
	remaining := time.Until(deadline)
	if remaining <= 0 {
		return 0, status.FromContextError(context.DeadlineExceeded).Err()
	}
	return max(1, time.Duration(share*float64(remaining))), nil
}

// Unary is the interceptor of unary calls.
func (c *Client) Unary(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	m := c.methods.get(method)
	timeout, err := budgetOf(ctx, m.share, m.timeout)
	if err != nil {
		return err
	}
	if timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, timeout)
		defer cancel()
	}
	c.budget.deposit()
	made := 1
	for {
		err = invoke(ctx, method, req, reply, cc, opts...)
		if err == nil || !c.again(ctx, m, made, err) {
			break
		}
		made++
	}
	m.metrics.attempts(ctx, made)
	return err
}

// again waits for the next attempt, or says that there is none.
func (c *Client) again(ctx context.Context, m *clientMethod, made int, err error) bool {
	r := &c.opts.Retry
	if made >= r.MaxAttempts || !slices.Contains(r.Codes, status.Code(err)) {
		return false
	}
	why := noRetry("")
	wait := r.backoff(made)
	deadline, ok := ctx.Deadline()
	switch {
	case r.Switch.IsOff():
		why = switched
	case ctx.Err() != nil || ok && wait >= time.Until(deadline):
		why = noTime
	case !c.budget.withdraw():
		why = noBudget
	}
	if why != "" {
		m.metrics.notRetried(ctx, why)
		return false
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// Stream is the interceptor of streams. Their time is limited like that of
// unary calls, but for the default; they are not retried.
func (c *Client) Stream(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	m := c.methods.get(method)
	timeout, err := budgetOf(ctx, m.share, m.streamTimeout)
	if err != nil {
		return nil, err
	}
	if timeout == 0 {
		return open(ctx, desc, cc, method, opts...)
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	s, err := open(ctx, desc, cc, method, opts...)
	if err != nil {
		cancel()
		return nil, err
	}
	context.AfterFunc(s.Context(), cancel) // which ends with the stream
	return s, nil
}
