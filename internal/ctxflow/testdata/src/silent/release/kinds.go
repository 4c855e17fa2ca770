package release

import (
	"context"
	"errors"
	"time"
)

type session interface {
	Write(ctx context.Context) error
	Try(ctx context.Context) bool
	Abort(ctx context.Context) error
	Insert(ctx context.Context) error
	Eval(ctx context.Context, script string) reply
}

type reply struct{ err error }

func (r reply) Err() error { return r.err }

var errConflict = errors.New("conflict")

func Is(ctx context.Context, s session) error {
	err := s.Write(ctx)
	if errors.Is(err, errConflict) {
		_ = s.Abort(context.Background()) // silent: release
	}
	return err
}

func Equal(ctx context.Context, s session) error {
	err := s.Write(ctx)
	if err == errConflict {
		_ = s.Abort(context.Background()) // silent: release
	}
	return err
}

func NotOK(ctx context.Context, s session) {
	if ok := s.Try(ctx); !ok {
		_ = s.Abort(context.Background()) // silent: release
	}
}

// Missing goes on with the work: an error of some kind is no failure by itself.
func Missing(ctx context.Context, s session) error {
	err := s.Write(ctx)
	if errors.Is(err, errConflict) {
		return s.Insert(context.Background()) // reported: CTX101
	}
	return err
}

// state is what an error says of itself, as a gRPC status does.
type state struct{ code int }

func (s *state) Code() int { return s.code }

func fromError(err error) (*state, bool) { return nil, false }

func Status(ctx context.Context, s session) error {
	err := s.Write(ctx)
	if st, ok := fromError(err); ok && st.Code() == 1 {
		_ = s.Abort(context.Background()) // silent: release
	}
	return err
}

func Code(ctx context.Context, s session) error {
	err := s.Write(ctx)
	st, _ := fromError(err)
	if st.Code() == 1 {
		_ = s.Abort(context.Background()) // silent: release
	}
	return err
}

// NotStatus has an error that says nothing.
func NotStatus(ctx context.Context, s session) error {
	if _, ok := fromError(s.Write(ctx)); !ok {
		return s.Abort(context.Background()) // reported: CTX101
	}
	return nil
}

// Progress is saved whether the work has failed or not, on one root that is
// made to survive it.
func Progress(ctx context.Context, s session) error {
	err := s.Write(ctx)
	own, cancel := context.WithTimeout(context.Background(), time.Second) // silent: release
	defer cancel()
	if err != nil {
		_ = s.Abort(own)
		return err
	}
	return s.Write(own)
}

// Unbounded is the same without a deadline: the success may hang on it.
func Unbounded(ctx context.Context, s session) error {
	err := s.Write(ctx)
	own := context.Background() // reported: CTX101
	if err != nil {
		_ = s.Abort(own)
		return err
	}
	return s.Write(own)
}
