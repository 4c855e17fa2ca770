package saturate

import (
	"context"
	"fmt"
	"net"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"
)

// A network is how a server is reached: in memory, or over loopback TCP.
type network struct {
	server   *grpc.Server
	listener net.Listener
	target   string
	dialer   func(context.Context, string) (net.Conn, error)
}

func (w *world) listen(server *grpc.Server) network {
	if w.clock == Real {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			panic(setupError(fmt.Sprintf("no loopback port: %v", err)))
		}
		return network{server: server, listener: l, target: "passthrough:///" + l.Addr().String()}
	}
	l := bufconn.Listen(1 << 20)
	return network{server: server, listener: l, target: "passthrough:///in-memory",
		dialer: func(ctx context.Context, _ string) (net.Conn, error) { return l.DialContext(ctx) }}
}

func (n network) serve() { go n.server.Serve(n.listener) }

// dial opens a connection that the trial closes.
func (w *world) dial(n network, opts ...grpc.DialOption) *grpc.ClientConn {
	opts = append(opts[:len(opts):len(opts)], grpc.WithTransportCredentials(insecure.NewCredentials()))
	if n.dialer != nil {
		opts = append(opts, grpc.WithContextDialer(n.dialer))
	}
	cc, err := grpc.NewClient(n.target, opts...)
	if err != nil {
		panic(setupError(fmt.Sprintf("dial options: %v", err)))
	}
	w.onClose(func() { cc.Close() })
	return cc
}
