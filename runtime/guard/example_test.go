package guard_test

import (
	"fmt"
	"log"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/ctxprop/ctxprop/runtime/guard"
)

func Example() {
	server, err := guard.NewServer(guard.ServerOptions{
		MinRemaining: 20 * time.Millisecond,
		MaxActive:    28, // of 32 workers
	})
	if err != nil {
		log.Fatal(err)
	}
	s := grpc.NewServer(server.Options()...)
	defer s.Stop()

	var retries guard.Switch // for an operator to turn off
	client, err := guard.NewClient(guard.ClientOptions{
		DefaultTimeout: time.Second,
		Retry:          guard.Retry{MaxAttempts: 3, Switch: &retries},
	})
	if err != nil {
		log.Fatal(err)
	}
	cc, err := grpc.NewClient("dns:///orders:443", append(client.Options(), grpc.WithTransportCredentials(insecure.NewCredentials()))...)
	if err != nil {
		log.Fatal(err)
	}
	defer cc.Close()
	// Output:
}

// An option that cannot be meant is refused when the guard is made.
func ExampleNewClient_invalid() {
	_, err := guard.NewClient(guard.ClientOptions{Share: 70})
	fmt.Println(err)
	// Output:
	// guard: Share is 70: it is the callee's share of the remaining time, above 0 and at most 1
}
