// Package connected has connect-go handlers.
package connected

import (
	"context"

	"connectrpc.com/connect"
)

type msg struct{}

var upstream *connect.Client[msg, msg]

type server struct{}

func (server) Unary(ctx context.Context, req *connect.Request[msg]) (*connect.Response[msg], error) {
	return upstream.CallUnary(context.Background(), req) // want `^context\.Background\(\) in server\.Unary cuts Client\.CallUnary off from the request's deadline; use ctx \(CTX101\)$`
}

func (server) Stream(ctx context.Context, req *connect.Request[msg], out *connect.ServerStream[msg]) error {
	res, err := upstream.CallUnary(context.TODO(), req) // want `use ctx \(CTX101\)$`
	if err != nil {
		return err
	}
	return out.Send(res.Msg)
}
