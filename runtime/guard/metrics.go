package guard

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

// Metrics. All but MetricActive have the attribute rpc.method, such as
// orders.Orders/Get.
const (
	// MetricRemaining is a histogram of the seconds left when a call arrived.
	MetricRemaining = "ctxprop.guard.server.remaining"
	// MetricActive is the number of calls being worked on.
	MetricActive = "ctxprop.guard.server.active"
	// MetricRefused counts refused calls; why is gone, short or full.
	MetricRefused = "ctxprop.guard.server.refused"
	// MetricEnded counts calls whose context ended before their handler; why is
	// deadline_exceeded or cancelled.
	MetricEnded = "ctxprop.guard.server.ended"
	// MetricZombie is the number of seconds that handlers ran after the caller
	// had left.
	MetricZombie = "ctxprop.guard.server.zombie"
	// MetricAttempts is a histogram of attempts per call.
	MetricAttempts = "ctxprop.guard.client.attempts"
	// MetricNotRetried counts failures that would have been retried; why is
	// budget, time or switch.
	MetricNotRetried = "ctxprop.guard.client.not_retried"
)

const scope = "github.com/ctxprop/ctxprop/runtime/guard"

type refusal string

const (
	refusedGone  refusal = "gone"
	refusedShort refusal = "short"
	refusedFull  refusal = "full"
)

type serverMetrics struct {
	remaining metric.Float64Histogram
	refused   metric.Int64Counter
	ended     metric.Int64Counter
	zombie    metric.Float64Counter
}

func newServerMetrics(p metric.MeterProvider, active *atomic.Int64) (*serverMetrics, error) {
	m := meter(p)
	var s serverMetrics
	var errs [5]error
	s.remaining, errs[0] = m.Float64Histogram(MetricRemaining, metric.WithUnit("s"),
		metric.WithDescription("Time left until the caller's deadline when a call arrived."),
		metric.WithExplicitBucketBoundaries(0, .001, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60))
	s.refused, errs[1] = m.Int64Counter(MetricRefused, metric.WithUnit("{call}"), metric.WithDescription("Calls refused."))
	s.ended, errs[2] = m.Int64Counter(MetricEnded, metric.WithUnit("{call}"), metric.WithDescription("Calls whose context ended before their handler."))
	s.zombie, errs[3] = m.Float64Counter(MetricZombie, metric.WithUnit("s"), metric.WithDescription("Time that handlers ran after the caller had left."))
	// Observed when it is collected, so that it costs the calls nothing.
	_, errs[4] = m.Int64ObservableGauge(MetricActive, metric.WithUnit("{call}"), metric.WithDescription("Calls being worked on."),
		metric.WithInt64Callback(func(_ context.Context, o metric.Int64Observer) error {
			o.Observe(active.Load())
			return nil
		}))
	return &s, errors.Join(errs[:]...)
}

func meter(p metric.MeterProvider) metric.Meter {
	if p == nil {
		p = otel.GetMeterProvider()
	}
	return p.Meter(scope)
}

// serverMethodMetrics have the options of their measurements made beforehand,
// since making them allocates.
type serverMethodMetrics struct {
	*serverMetrics
	plain            []metric.RecordOption
	zombies          []metric.AddOption
	why              map[refusal][]metric.AddOption
	exceeded, cancel []metric.AddOption
}

func (s *serverMetrics) of(method string) serverMethodMetrics {
	return serverMethodMetrics{
		serverMetrics: s,
		plain:         []metric.RecordOption{attributes(method, "")},
		zombies:       []metric.AddOption{attributes(method, "")},
		why: map[refusal][]metric.AddOption{
			refusedGone:  {attributes(method, string(refusedGone))},
			refusedShort: {attributes(method, string(refusedShort))},
			refusedFull:  {attributes(method, string(refusedFull))},
		},
		exceeded: []metric.AddOption{attributes(method, "deadline_exceeded")},
		cancel:   []metric.AddOption{attributes(method, "cancelled")},
	}
}

func attributes(method, why string) metric.MeasurementOption {
	set := []attribute.KeyValue{attribute.String("rpc.method", strings.TrimPrefix(method, "/"))}
	if why != "" {
		set = append(set, attribute.String("why", why))
	}
	return metric.WithAttributeSet(attribute.NewSet(set...))
}

func (m *serverMethodMetrics) remaining(ctx context.Context, d time.Duration) {
	m.serverMetrics.remaining.Record(ctx, max(0, d.Seconds()), m.plain...)
}

func (m *serverMethodMetrics) refused(ctx context.Context, why refusal) {
	m.serverMetrics.refused.Add(ctx, 1, m.why[why]...)
}

func (m *serverMethodMetrics) ended(ctx context.Context, err error) {
	opts := m.cancel
	if errors.Is(err, context.DeadlineExceeded) {
		opts = m.exceeded
	}
	m.serverMetrics.ended.Add(ctx, 1, opts...)
}

func (m *serverMethodMetrics) zombie(ctx context.Context, d time.Duration) {
	m.serverMetrics.zombie.Add(ctx, d.Seconds(), m.zombies...)
}

type clientMetrics struct {
	attempts   metric.Int64Histogram
	notRetried metric.Int64Counter
}

func newClientMetrics(p metric.MeterProvider) (*clientMetrics, error) {
	m := meter(p)
	var c clientMetrics
	var errs [2]error
	c.attempts, errs[0] = m.Int64Histogram(MetricAttempts, metric.WithUnit("{attempt}"), metric.WithDescription("Attempts per call."),
		metric.WithExplicitBucketBoundaries(1, 2, 3, 4, 5, 10))
	c.notRetried, errs[1] = m.Int64Counter(MetricNotRetried, metric.WithUnit("{call}"), metric.WithDescription("Failures that were not retried though their code allows it."))
	return &c, errors.Join(errs[:]...)
}

// noRetry is why a failure whose code allows a retry is passed on.
type noRetry string

const (
	noBudget noRetry = "budget"
	noTime   noRetry = "time"
	switched noRetry = "switch"
)

type clientMethodMetrics struct {
	*clientMetrics
	plain []metric.RecordOption
	why   map[noRetry][]metric.AddOption
}

func (c *clientMetrics) of(method string) clientMethodMetrics {
	return clientMethodMetrics{
		clientMetrics: c,
		plain:         []metric.RecordOption{attributes(method, "")},
		why: map[noRetry][]metric.AddOption{
			noBudget: {attributes(method, string(noBudget))},
			noTime:   {attributes(method, string(noTime))},
			switched: {attributes(method, string(switched))},
		},
	}
}

func (m *clientMethodMetrics) attempts(ctx context.Context, n int) {
	m.clientMetrics.attempts.Record(ctx, int64(n), m.plain...)
}

func (m *clientMethodMetrics) notRetried(ctx context.Context, why noRetry) {
	m.clientMetrics.notRetried.Add(ctx, 1, m.why[why]...)
}
