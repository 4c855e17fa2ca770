// Package recommend is reco-svc: it recommends items to a user.
//
// The code is that of the incident, faults included.
package recommend

import (
	"context"
	"time"

	"google.golang.org/grpc"

	"github.com/ctxprop/ctxprop/runtime/examples/reco/recopb"
)

// Retry is how often and when a call of feature-svc is repeated.
type Retry struct {
	MaxAttempts int           // the first one included
	Backoff     time.Duration // before the second attempt
	Multiplier  float64       // of Backoff, for each further one
}

// Incident is the retry of the incident: the pause is flat, without jitter, and
// as short as two of the fast stages of feature-svc.
var Incident = Retry{MaxAttempts: 3, Backoff: 50 * time.Millisecond, Multiplier: 1}

// attemptTimeout is the deadline of one attempt: the 99th percentile of
// feature-svc was 340 ms when it was chosen, so that one call in fifty was
// already given up.
const attemptTimeout = 300 * time.Millisecond

// trending is what everybody gets who gets nothing better.
var trending = []string{"item-1", "item-2", "item-3", "item-4", "item-5"}

// Server implements RecoService.
type Server struct {
	recopb.UnimplementedRecoServiceServer

	features recopb.FeatureServiceClient
	retry    Retry
}

// New returns a Server that asks feature-svc on the connection.
func New(features grpc.ClientConnInterface, retry Retry) *Server {
	return &Server{features: recopb.NewFeatureServiceClient(features), retry: retry}
}

// Recommend implements the method of RecoService. It does not fail: without
// features, it recommends what is trending.
func (s *Server) Recommend(ctx context.Context, req *recopb.RecommendRequest) (*recopb.RecommendResponse, error) {
	features, err := s.ask(ctx, req.GetUserId())
	if err != nil {
		return &recopb.RecommendResponse{ItemIds: trending, Fallback: true}, nil
	}
	resp := new(recopb.RecommendResponse)
	for _, a := range features.GetAffinities() {
		resp.ItemIds = append(resp.ItemIds, a.GetItemId())
	}
	return resp, nil
}

// ask calls feature-svc until an attempt succeeds or there are no more.
func (s *Server) ask(ctx context.Context, user string) (*recopb.GetFeaturesResponse, error) {
	pause := s.retry.Backoff
	for attempt := 1; ; attempt++ {
		features, err := s.attempt(ctx, user)
		if err == nil || attempt >= s.retry.MaxAttempts {
			return features, err
		}
		time.Sleep(pause)
		pause = time.Duration(float64(pause) * s.retry.Multiplier)
	}
}

func (s *Server) attempt(ctx context.Context, user string) (*recopb.GetFeaturesResponse, error) {
	ctx, cancel := context.WithTimeout(ctx, attemptTimeout)
	defer cancel()
	return s.features.GetFeatures(ctx, &recopb.GetFeaturesRequest{UserId: user})
}
