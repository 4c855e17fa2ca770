package release

import (
	"context"
	"errors"
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
