// Package registered has functions that are handlers because of what they are
// given to, or by the message that they take.
package registered

import (
	"context"
	"database/sql"

	"cloud.google.com/go/pubsub"
	"github.com/IBM/sarama"
	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambda"
	"github.com/danielgtaylor/huma/v2"
	"github.com/hibiken/asynq"
	"go.temporal.io/sdk/worker"
)

var db *sql.DB

type order struct{ ID string }

func ping(ctx context.Context, from string) error {
	return db.PingContext(context.Background()) // want `^context\.Background\(\) in registered\.ping cuts DB\.PingContext off from the deadline of the request in Activities\.Charge; use ctx \(CTX101\)$`
}

func Start(fns *functions) {
	lambda.Start(handle)
	lambda.Start(fns.handle)
	lambda.Start(func(ctx context.Context, o order) error {
		return db.PingContext(context.Background()) // want `^context\.Background\(\) in registered\.Start cuts DB\.PingContext off from the request's deadline; use ctx \(CTX101\)$`
	})
}

func handle(ctx context.Context, o order) (order, error) {
	return o, db.PingContext(context.Background()) // want `^context\.Background\(\) in registered\.handle cuts DB\.PingContext off from the request's deadline; use ctx \(CTX101\)$`
}

type functions struct{}

func (f *functions) handle(ctx context.Context, o order) error {
	return db.PingContext(context.Background()) // want `off from the request's deadline; use ctx \(CTX101\)$`
}

// notRegistered has the same shape and is given to nothing.
func notRegistered(ctx context.Context, o order) (order, error) {
	return o, db.PingContext(context.Background()) // want `off from the caller's deadline; use ctx \(CTX101\)$`
}

// Without a context there is none to lose.
func plain(o order) error { return db.PingContext(context.Background()) }

func StartPlain() { lambda.Start(plain) }

func OnEvent(ctx context.Context, e events.SQSEvent) error {
	return db.PingContext(context.Background()) // want `off from the request's deadline; use ctx \(CTX101\)$`
}

type invoker struct{}

func (invoker) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	lambda.Start(nil)
	return nil, db.PingContext(context.Background()) // want `^context\.Background\(\) in invoker\.Invoke cuts DB\.PingContext off from the request's deadline; use ctx \(CTX101\)$`
}

func Receive(ctx context.Context, sub *pubsub.Subscription) error {
	return sub.Receive(ctx, func(ctx context.Context, m *pubsub.Message) {
		_ = db.PingContext(context.Background()) // want `^context\.Background\(\) in registered\.Receive cuts DB\.PingContext off from the request's deadline; use ctx \(CTX101\)$`
		m.Ack()
	})
}

type tasks struct{}

func (tasks) ProcessTask(ctx context.Context, t *asynq.Task) error {
	return db.PingContext(context.Background()) // want `off from the request's deadline; use ctx \(CTX101\)$`
}

type Activities struct{}

// Charge is an activity, because its type is registered.
func (a *Activities) Charge(ctx context.Context, id string) error { return ping(ctx, id) }

// helper is none.
func (a *Activities) helper(ctx context.Context) error {
	return db.PingContext(context.Background()) // want `off from the caller's deadline; use ctx \(CTX101\)$`
}

func Work(w worker.Worker) {
	w.RegisterActivity(&Activities{})
	w.RegisterActivity(refund)
}

func refund(ctx context.Context, id string) error {
	return db.PingContext(context.Background()) // want `off from the request's deadline; use ctx \(CTX101\)$`
}

type consumer struct{}

func (consumer) Setup(sarama.ConsumerGroupSession) error { return nil }

// Cleanup comes when the session has ended.
func (consumer) Cleanup(sarama.ConsumerGroupSession) error { return nil }

// ConsumeClaim's messages have no context, its session has one.
func (consumer) ConsumeClaim(sess sarama.ConsumerGroupSession, claim sarama.ConsumerGroupClaim) error {
	for m := range claim.Messages() {
		if err := db.PingContext(context.Background()); err != nil { // want `^context\.Background\(\) in consumer\.ConsumeClaim cuts DB\.PingContext off from the caller's deadline; use sess\.Context\(\) \(CTX101\)$`
			return err
		}
		sess.MarkMessage(m, "")
	}
	return nil
}

func Register(api huma.API) {
	huma.Register(api, huma.Operation{Path: "/"}, create)
	huma.Get(api, "/", func(ctx context.Context, in *order) (*order, error) {
		return in, db.PingContext(context.Background()) // want `off from the request's deadline; use ctx \(CTX101\)$`
	})
}

func create(ctx context.Context, in *order) (*order, error) {
	return in, db.PingContext(context.Background()) // want `^context\.Background\(\) in registered\.create cuts DB\.PingContext off from the request's deadline; use ctx \(CTX101\)$`
}
