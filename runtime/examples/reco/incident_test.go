package reco_test

import (
	"context"
	"testing"
	"time"

	"google.golang.org/grpc"

	"github.com/ctxprop/ctxprop/runtime/examples/reco/feature"
	"github.com/ctxprop/ctxprop/runtime/examples/reco/recommend"
	"github.com/ctxprop/ctxprop/runtime/examples/reco/recopb"
	"github.com/ctxprop/ctxprop/runtime/saturate"
)

// incident is both services at a base load in calls per second, under the
// campaign. The workers in the report are those of feature-svc.
func incident(rate float64) saturate.Scenario {
	return saturate.Scenario{
		Register: func(s grpc.ServiceRegistrar, d *saturate.Deps) {
			recopb.RegisterRecoServiceServer(s, recommend.New(d.Next(), recommend.Incident))
		},
		Workers: 1024, // reco-svc only waits
		Hops: []saturate.Hop{{
			Name: "feature-svc",
			Register: func(s grpc.ServiceRegistrar, d *saturate.Deps) {
				recopb.RegisterFeatureServiceServer(s, feature.New(d.DB(), embeddings{}, merger{d}))
			},
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
type merger struct{ d *saturate.Deps }

func (m merger) Merge(items []string, _ [][]float64) []*recopb.Affinity {
	time.Sleep(min(max(m.d.Lognormal(mergeMean, 0.25), 150*time.Millisecond), 900*time.Millisecond))
	affinities := make([]*recopb.Affinity, len(items))
	for i, item := range items {
		affinities[i] = &recopb.Affinity{ItemId: item}
	}
	return affinities
}

// TestCampaign is the incident: nothing but the campaign has changed, and it has
// been over for a long time.
func TestCampaign(t *testing.T) { saturate.Test(t, incident(42)) }

// TestCampaignOnABusyDay has a base load at which calls that are given up half
// way, in the merge, keep the workers busy: the checks leave those alone.
func TestCampaignOnABusyDay(t *testing.T) {
	sc := incident(60)
	sc.Expect = saturate.Expect{
		Verdict: saturate.NotSufficient,
		Reason:  "three attempts of 60 calls/s are more than the 149 calls/s that feature-svc serves, and a call that waited 200 ms is alive at the check and dead at the end of the merge; it takes admission or fewer retries as well",
	}
	saturate.Test(t, sc)
}
