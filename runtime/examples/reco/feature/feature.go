// Package feature is feature-svc: it computes what a user's taste looks like.
//
// The code is that of the incident, faults included. In quiet times nobody
// notices them: a call takes 210 ms and its caller waits for 300.
package feature

import (
	"context"
	"database/sql"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/ctxprop/ctxprop/runtime/examples/reco/recopb"
)

// Workers is how many calls an instance works on at a time.
const Workers = 32

// Embeddings are the vectors of items, from the model server.
type Embeddings interface {
	Lookup(ctx context.Context, items []string) ([][]float64, error)
}

// Merger turns what a user did, and what the items are like, into affinities.
type Merger interface {
	// Merge joins each event with each vector. It computes, for 150 ms with a
	// short history and for 900 ms with a long one, and has no point at which
	// to stop.
	//
	//ctxprop:expensive
	Merge(items []string, vectors [][]float64) []*recopb.Affinity
}

// Server implements FeatureService.
type Server struct {
	recopb.UnimplementedFeatureServiceServer

	activity   *sql.DB
	embeddings Embeddings
	merger     Merger
}

// New returns a Server that reads the activity of users from a table
// activity(user_id, item_id, at).
func New(activity *sql.DB, embeddings Embeddings, merger Merger) *Server {
	return &Server{activity: activity, embeddings: embeddings, merger: merger}
}

// GetFeatures implements the method of FeatureService.
func (s *Server) GetFeatures(ctx context.Context, req *recopb.GetFeaturesRequest) (*recopb.GetFeaturesResponse, error) {
	items, err := s.recent(ctx, req.GetUserId())
	if err != nil {
		return nil, status.Errorf(codes.Unavailable, "activity: %v", err)
	}
	vectors, err := s.embeddings.Lookup(context.Background(), items)
	if err != nil {
		return nil, status.Errorf(codes.Unavailable, "embeddings: %v", err)
	}
	return &recopb.GetFeaturesResponse{Affinities: s.merger.Merge(items, vectors)}, nil
}

// recent returns the items that a user looked at last.
func (s *Server) recent(ctx context.Context, user string) ([]string, error) {
	rows, err := s.activity.Query("SELECT item_id FROM activity WHERE user_id = ? ORDER BY at DESC LIMIT 200", user)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var items []string
	for rows.Next() {
		var item string
		if err := rows.Scan(&item); err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	return items, rows.Err()
}
