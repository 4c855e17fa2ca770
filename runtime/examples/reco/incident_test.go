package reco_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"

	"github.com/ctxprop/ctxprop/runtime/examples/reco/feature"
	"github.com/ctxprop/ctxprop/runtime/examples/reco/recommend"
	"github.com/ctxprop/ctxprop/runtime/examples/reco/recopb"
	"github.com/ctxprop/ctxprop/runtime/saturate"
)

// A deployment is what differs between the stages of the mend.
type deployment struct {
	retry    recommend.Retry
	features func(d *saturate.Deps, m feature.Merger) recopb.FeatureServiceServer
	options  func() []grpc.ServerOption // of feature-svc
	cores    int                        // that merges share; 0 is one for each
}

// asItWas is the code of this repository.
var asItWas = deployment{
	retry: recommend.Incident,
	features: func(d *saturate.Deps, m feature.Merger) recopb.FeatureServiceServer {
		return feature.New(d.DB(), embeddings{}, m)
	},
}

// incident is both services at a base load in calls per second, under the
// campaign. The workers in the report are those of feature-svc.
func incident(rate float64, with deployment) saturate.Scenario {
	return saturate.Scenario{
		Register: func(s grpc.ServiceRegistrar, d *saturate.Deps) {
			recopb.RegisterRecoServiceServer(s, recommend.New(d.Next(), with.retry))
		},
		Workers: 1024, // reco-svc only waits
		Hops: []saturate.Hop{{
			Name: "feature-svc",
			Register: func(s grpc.ServiceRegistrar, d *saturate.Deps) {
				recopb.RegisterFeatureServiceServer(s, with.features(d, &merger{d: d, cores: with.cores}))
			},
			ServerOptions: with.options,
			// Calls reach the workers through a channel, which holds many and
			// notices nobody leaving.
			Workers: feature.Workers, Queue: 512, KeepGone: true,
			Deadline: 300 * time.Millisecond, // of one attempt of reco-svc
		}},
		Subject: 1,
		Call: func(ctx context.Context, cc grpc.ClientConnInterface) error {
			resp, err := recopb.NewRecoServiceClient(cc).Recommend(ctx, &recopb.RecommendRequest{UserId: "user-1"})
			if err == nil && resp.GetFallback() {
				return saturate.ErrFallback
			}
			return err
		},
		// The page waits for more than three attempts take.
		Deadline: 2 * time.Second,
		Retry:    saturate.Retry{MaxAttempts: 1},
		// The activity store.
		Dependency: saturate.Dependency{Concurrency: 32, ServiceTime: 40 * time.Millisecond, CV: 0.2},
		Capacity:   feature.Workers / (0.040 + 0.005 + mergeMean.Seconds()),
		Rate:       rate,
		Trigger:    saturate.Trigger{Kind: saturate.LoadSpike, Factor: 4.2},
	}
}

// embeddings answers as fast as the model server does.
type embeddings struct{}

func (embeddings) Lookup(ctx context.Context, items []string) ([][]float64, error) {
	t := time.NewTimer(5 * time.Millisecond)
	defer t.Stop()
	select {
	case <-t.C:
		return make([][]float64, len(items)), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

const mergeMean = 170 * time.Millisecond

// merger takes as long as the Join of production and, like it, cannot be
// interrupted. It sleeps because computation takes no time on a virtual clock.
type merger struct {
	d       *saturate.Deps
	cores   int
	running atomic.Int32
}

func (m *merger) Merge(items []string, _ [][]float64) []*recopb.Affinity {
	took := m.d.Lognormal(mergeMean, 0.25)
	if n := int(m.running.Add(1)); m.cores > 0 && n > m.cores {
		took = took * time.Duration(n) / time.Duration(m.cores)
	}
	defer m.running.Add(-1)
	time.Sleep(min(max(took, 150*time.Millisecond), 900*time.Millisecond))
	affinities := make([]*recopb.Affinity, len(items))
	for i, item := range items {
		affinities[i] = &recopb.Affinity{ItemId: item}
	}
	return affinities
}

// TestIncident brings about what the report of the incident described: long
// after the campaign all workers are busy, for callers who have gone; no request
// fails, and hardly one gets more than what is trending.
func TestIncident(t *testing.T) {
	for _, tr := range saturate.Run(t, incident(42, asItWas)) {
		if tr.Peak != feature.Workers || tr.Ceiling < 0.99 || tr.Recovered() || tr.Post > 0.1 {
			t.Errorf("seed %d: at most %d workers busy, all of them for %.2f of the time after the campaign, goodput %.2f", tr.Seed, tr.Peak, tr.Ceiling, tr.Post)
		}
		if tr.Base < 0.95 || tr.OK+tr.Fallbacks != tr.Calls {
			t.Errorf("seed %d: goodput %.2f before the campaign; of %d calls %d were answered and %d from the fallback", tr.Seed, tr.Base, tr.Calls, tr.OK, tr.Fallbacks)
		}
		if tr.Zombie < tr.Worker/2 {
			t.Errorf("seed %d: %.0f of %.0f worker-seconds went to callers who had gone", tr.Seed, tr.Zombie, tr.Worker)
		}
	}
}
