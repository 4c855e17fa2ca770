package guard

import (
	"context"
	"log/slog"
	"time"
)

// LogAttrs returns the fields that say how much time a context leaves:
// deadline, and remaining_ms, negative once it has passed. There are none
// without a deadline.
func LogAttrs(ctx context.Context) []slog.Attr {
	deadline, ok := ctx.Deadline()
	if !ok {
		return nil
	}
	return []slog.Attr{slog.Time("deadline", deadline), slog.Int64("remaining_ms", time.Until(deadline).Milliseconds())}
}

// LogHandler returns a handler that adds the fields of [LogAttrs] to every
// record that is logged with a context.
func LogHandler(h slog.Handler) slog.Handler { return logHandler{h} }

type logHandler struct{ slog.Handler }

func (h logHandler) Handle(ctx context.Context, r slog.Record) error {
	if attrs := LogAttrs(ctx); attrs != nil {
		r = r.Clone() // its attributes may be shared
		r.AddAttrs(attrs...)
	}
	return h.Handler.Handle(ctx, r)
}

func (h logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return logHandler{h.Handler.WithAttrs(attrs)}
}

func (h logHandler) WithGroup(name string) slog.Handler {
	return logHandler{h.Handler.WithGroup(name)}
}
