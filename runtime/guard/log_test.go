package guard_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ctxprop/ctxprop/runtime/guard"
)

// lines returns the JSON lines of a log.
func lines(t *testing.T, b *bytes.Buffer) (out []map[string]any) {
	t.Helper()
	for d := json.NewDecoder(b); d.More(); {
		var line map[string]any
		if err := d.Decode(&line); err != nil {
			t.Fatal(err)
		}
		out = append(out, line)
	}
	return out
}

func TestLogHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b bytes.Buffer
		log := slog.New(guard.LogHandler(slog.NewJSONHandler(&b, nil))).With("service", "orders")
		ctx, cancel := within(250 * time.Millisecond)
		defer cancel()
		log.InfoContext(ctx, "on time")
		time.Sleep(time.Second)
		log.InfoContext(ctx, "late")
		log.InfoContext(context.Background(), "no deadline")
		got := lines(t, &b)
		if len(got) != 3 || got[0]["remaining_ms"] != 250.0 || got[1]["remaining_ms"] != -750.0 || got[0]["deadline"] != got[1]["deadline"] || got[0]["deadline"] == nil {
			t.Errorf("%v", got)
		}
		if _, ok := got[2]["remaining_ms"]; ok || got[2]["service"] != "orders" {
			t.Errorf("%v", got[2])
		}
	})
}

func TestServerLogs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b bytes.Buffer
		s := newServer(t, guard.ServerOptions{
			MinRemaining: 20 * time.Millisecond,
			Logger:       slog.New(slog.NewJSONHandler(&b, &slog.HandlerOptions{Level: slog.LevelDebug})),
		})
		ctx, cancel := within(10 * time.Millisecond)
		defer cancel()
		s.Unary(ctx, nil, doInfo, nil)
		ctx, cancel = within(100 * time.Millisecond)
		defer cancel()
		s.Unary(ctx, nil, doInfo, func(context.Context, any) (any, error) { time.Sleep(time.Second); return nil, nil })
		got := lines(t, &b)
		if len(got) != 2 || got[0]["why"] != "short" || got[0]["remaining_ms"] != 10.0 || got[0]["method"] != "/stub.Service/Do" ||
			got[1]["level"] != "WARN" || got[1]["after"] != float64(900*time.Millisecond) || got[1]["remaining_ms"] != -900.0 {
			t.Errorf("%v", got)
		}
	})
}
