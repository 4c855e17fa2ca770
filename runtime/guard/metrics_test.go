package guard_test

import (
	"context"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
)

func metrics() (*metric.ManualReader, *metric.MeterProvider) {
	r := metric.NewManualReader()
	return r, metric.NewMeterProvider(metric.WithReader(r))
}

// collected holds the points of each metric.
type collected map[string][]point

// A point is the sum of a counter, the value of a gauge, or the sum of a
// histogram with its count.
type point struct {
	method, why string
	value       float64
	count       uint64
}

func collect(t *testing.T, r *metric.ManualReader) collected {
	t.Helper()
	var rm metricdata.ResourceMetrics
	if err := r.Collect(context.Background(), &rm); err != nil {
		t.Fatal(err)
	}
	out := collected{}
	for _, scope := range rm.ScopeMetrics {
		for _, m := range scope.Metrics {
			add := func(set attribute.Set, value float64, count uint64) {
				method, _ := set.Value("rpc.method")
				why, _ := set.Value("why")
				out[m.Name] = append(out[m.Name], point{method.AsString(), why.AsString(), value, count})
			}
			switch d := m.Data.(type) {
			case metricdata.Sum[int64]:
				for _, p := range d.DataPoints {
					add(p.Attributes, float64(p.Value), 0)
				}
			case metricdata.Sum[float64]:
				for _, p := range d.DataPoints {
					add(p.Attributes, p.Value, 0)
				}
			case metricdata.Gauge[int64]:
				for _, p := range d.DataPoints {
					add(p.Attributes, float64(p.Value), 0)
				}
			case metricdata.Histogram[int64]:
				for _, p := range d.DataPoints {
					add(p.Attributes, float64(p.Sum), p.Count)
				}
			case metricdata.Histogram[float64]:
				for _, p := range d.DataPoints {
					add(p.Attributes, p.Sum, p.Count)
				}
			default:
				t.Fatalf("%s has data of type %T", m.Name, d)
			}
		}
	}
	return out
}

// sum adds the points of a metric with this reason; "" is any.
func (c collected) sum(name, why string) (sum float64) {
	for _, p := range c[name] {
		if strings.HasPrefix(p.why, why) {
			sum += p.value
		}
	}
	return sum
}

func (c collected) count(name string) (n uint64) {
	for _, p := range c[name] {
		n += p.count
	}
	return n
}
