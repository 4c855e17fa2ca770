package reco_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"go.opentelemetry.io/otel/metric/noop"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/ctxprop/ctxprop/runtime/examples/reco/feature"
	"github.com/ctxprop/ctxprop/runtime/examples/reco/recommend"
	"github.com/ctxprop/ctxprop/runtime/examples/reco/recopb"
	"github.com/ctxprop/ctxprop/runtime/guard"
	"github.com/ctxprop/ctxprop/runtime/saturate"
)

// mended is the handler with the checks: each stage has the caller's context,
// and the one that cannot be interrupted asks first.
type mended struct {
	recopb.UnimplementedFeatureServiceServer
	d      *saturate.Deps
	merger feature.Merger
}

func (s mended) GetFeatures(ctx context.Context, req *recopb.GetFeaturesRequest) (*recopb.GetFeaturesResponse, error) {
	var item string
	if err := s.d.DB().QueryRowContext(ctx, "SELECT item_id FROM activity WHERE user_id = ?", req.GetUserId()).Scan(&item); err != nil {
		return nil, status.Errorf(codes.Unavailable, "activity: %v", err)
	}
	vectors, err := embeddings{}.Lookup(ctx, []string{item})
	if err != nil {
		return nil, status.Errorf(codes.Unavailable, "embeddings: %v", err)
	}
	if err := ctx.Err(); err != nil {
		return nil, status.FromContextError(err).Err()
	}
	return &recopb.GetFeaturesResponse{Affinities: s.merger.Merge([]string{item}, vectors)}, nil
}

// checks, admission and retries are the stages, each on top of another
// deployment.
func checks(with deployment) deployment {
	with.features = func(d *saturate.Deps, m feature.Merger) recopb.FeatureServiceServer {
		return mended{d: d, merger: m}
	}
	return with
}

func admission(with deployment) deployment {
	with.options = func() []grpc.ServerOption {
		g, err := guard.NewServer(guard.ServerOptions{MaxActive: 28, MeterProvider: noop.NewMeterProvider()})
		if err != nil {
			panic(err)
		}
		return g.Options()
	}
	return with
}

func retries(with deployment) deployment {
	with.retry = recommend.Retry{MaxAttempts: 2, Backoff: 100 * time.Millisecond, Multiplier: 2}
	return with
}

var stages = []struct {
	name string
	of   func(deployment) deployment
}{
	{"as it was", func(with deployment) deployment { return with }},
	{"checks", checks},
	{"admission of 28", admission},
	{"2 attempts, 0.1 s × 2", retries},
	{"all three", func(with deployment) deployment { return retries(admission(checks(with))) }},
}

var loads = []struct {
	name  string
	rate  float64
	cores int
}{
	{"30/s", 30, 0},
	{"42/s", 42, 0},
	{"60/s", 60, 0},
	{"42/s, merges share 10 cores", 42, 10},
}

// TestStages measures what each stage of the mend alone is worth. The README has
// the table that it logs.
func TestStages(t *testing.T) {
	if testing.Short() {
		t.Skip("20 scenarios")
	}
	out := new(strings.Builder)
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprint(w, "stage")
	for _, l := range loads {
		fmt.Fprint(w, "\t", l.name)
	}
	fmt.Fprintln(w)
	recovered := make(map[string]int) // seeds, by stage and load
	for _, s := range stages {
		fmt.Fprint(w, s.name)
		for _, l := range loads {
			with := s.of(asItWas)
			with.cores = l.cores
			trials := saturate.Run(t, incident(l.rate, with))
			var sum float64
			for _, tr := range trials {
				sum += tr.Post
				if tr.Recovered() {
					recovered[s.name+" "+l.name]++
				}
			}
			fmt.Fprintf(w, "\t%.2f, %d of %d recover", sum/float64(len(trials)), recovered[s.name+" "+l.name], len(trials))
		}
		fmt.Fprintln(w)
	}
	w.Flush()
	t.Logf("mean goodput after the campaign\n%s", out)
	for cell, want := range map[string]int{
		"as it was 42/s":             0,
		"checks 42/s":                5,
		"checks 60/s":                0,
		"admission of 28 60/s":       5,
		"2 attempts, 0.1 s × 2 42/s": 0,
		"all three 60/s":             5,
	} {
		if recovered[cell] != want {
			t.Errorf("%s: %d of 5 seeds recover, want %d", cell, recovered[cell], want)
		}
	}
}
