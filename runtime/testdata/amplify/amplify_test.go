// Package amplify measures what the retries of the services in its folders come
// to: requests at the bottom for one call of A, when the bottom is dead. What
// ctxprop predicts from their source must be the same, which is tested where the
// command is.
package amplify

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"google.golang.org/grpc"

	"github.com/ctxprop/ctxprop/runtime/saturate"
	"github.com/ctxprop/ctxprop/runtime/testdata/amplify/chainpb"
	"github.com/ctxprop/ctxprop/runtime/testdata/amplify/executors"
	"github.com/ctxprop/ctxprop/runtime/testdata/amplify/five"
	"github.com/ctxprop/ctxprop/runtime/testdata/amplify/interceptor"
	"github.com/ctxprop/ctxprop/runtime/testdata/amplify/loop"
	"github.com/ctxprop/ctxprop/runtime/testdata/amplify/remapped"
	"github.com/ctxprop/ctxprop/runtime/testdata/amplify/three"
)

type register = func(s grpc.ServiceRegistrar, d *saturate.Deps)

// blackout is a service with those behind it, called twice a second.
func blackout(services ...register) saturate.Scenario {
	sc := saturate.Scenario{
		Register: services[0],
		Call: func(ctx context.Context, cc grpc.ClientConnInterface) error {
			_, err := chainpb.NewAClient(cc).Do(ctx, new(chainpb.Request))
			return err
		},
		Deadline: time.Minute,
		Retry:    saturate.Retry{MaxAttempts: 1},
		Trigger:  saturate.Trigger{Kind: saturate.Blackout},
		Rate:     2,
		Seeds:    []uint64{1, 2},
	}
	for _, r := range services[1:] {
		sc.Hops = append(sc.Hops, saturate.Hop{Register: r})
	}
	return sc
}

// relay registers a service that dials the next.
func relay[D ~func(...grpc.DialOption) grpc.ClientConnInterface](r func(grpc.ServiceRegistrar, D)) register {
	return func(s grpc.ServiceRegistrar, d *saturate.Deps) { r(s, d.Next) }
}

// leaf registers a service that calls the dependency.
func leaf[S interface{ Do(context.Context) error }](r func(grpc.ServiceRegistrar, S)) register {
	return func(s grpc.ServiceRegistrar, d *saturate.Deps) { r(s, any(d).(S)) }
}

type bottom struct {
	chainpb.UnimplementedDServer
	d *saturate.Deps
}

func (b bottom) Do(ctx context.Context, _ *chainpb.Request) (*chainpb.Reply, error) {
	return new(chainpb.Reply), b.d.Do(ctx)
}

func registerBottom(s grpc.ServiceRegistrar, d *saturate.Deps) {
	chainpb.RegisterDServer(s, bottom{d: d})
}

// TestAmplification leaves, for each seed, the handler calls of the services and
// the requests at the bottom, for one call of A.
func TestAmplification(t *testing.T) {
	for name, sc := range map[string]saturate.Scenario{
		"three":       blackout(relay(three.RegisterA), relay(three.RegisterB), relay(three.RegisterC), leaf(three.RegisterD)),
		"five":        blackout(relay(five.RegisterA), relay(five.RegisterB), relay(five.RegisterC), leaf(five.RegisterD)),
		"remapped":    blackout(relay(remapped.RegisterA), relay(remapped.RegisterB), relay(remapped.RegisterC), leaf(remapped.RegisterD)),
		"interceptor": blackout(relay(interceptor.Register), registerBottom),
		"executors":   blackout(leaf(executors.Register)),
		"loop":        blackout(leaf(loop.Register)),
	} {
		t.Run(name, func(t *testing.T) {
			for _, tr := range saturate.Run(t, sc) {
				if tr.Calls == 0 || tr.Shed > 0 || tr.Base != 1 {
					t.Fatalf("not a clean blackout: %+v", tr)
				}
				var steps []float64
				for _, s := range tr.Services {
					steps = append(steps, float64(s.Handled)/float64(tr.Calls))
				}
				text, err := json.Marshal(append(steps, tr.Amplification))
				if err != nil {
					t.Fatal(err)
				}
				t.Attr("amplify", string(text))
			}
		})
	}
}
