package nested

import (
	"context"
	"time"
)

// forever has no bound of its own.
func forever(ctx context.Context, try func() error) error {
	for {
		err := try()
		if err == nil {
			return nil
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// atMost lets what is tried count the attempts.
func atMost(ctx context.Context, n int, try func() error) (err error) {
	_ = forever(ctx, func() error {
		err = try()
		if n--; n == 0 {
			return nil
		}
		return err
	})
	return err
}

func (s *server) countsDown(ctx context.Context) error {
	return atMost(ctx, 5, func() error {
		return s.s.Get(ctx) // want `Wire.Send can be called 5×3 = 15 times`
	})
}

// few comes to less than the threshold.
func (s *server) few(ctx context.Context) error {
	return atMost(ctx, 2, func() error { return s.s.Get(ctx) })
}

func (s *server) here(ctx context.Context) error {
	left := 6
	return forever(ctx, func() error {
		if left <= 0 {
			return nil
		}
		left--
		return s.s.Get(ctx) // want `Wire.Send can be called 6×3 = 18 times`
	})
}
