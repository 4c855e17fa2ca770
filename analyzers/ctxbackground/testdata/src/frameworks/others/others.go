// Package others has handlers of frameworks whose contexts end with the request.
package others

import (
	"context"
	"database/sql"
	"net/http"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/cloudwego/hertz/pkg/app"
	"github.com/emicklei/go-restful/v3"
	khttp "github.com/go-kit/kit/transport/http"
	iris "github.com/kataras/iris/v12/context"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/riverqueue/river"
	"github.com/uptrace/bunrouter"
	"github.com/urfave/cli/v3"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

var db *sql.DB

// Iris's context answers from its request, so it may be handed on.
func Iris(ctx *iris.Context) { _ = db.PingContext(ctx) }

func IrisFresh(ctx *iris.Context) {
	_ = db.PingContext(context.Background()) // want `^context\.Background\(\) in others\.IrisFresh cuts DB\.PingContext off from the request's deadline; use ctx \(CTX101\)$`
}

func Restful(req *restful.Request, resp *restful.Response) {
	_ = db.PingContext(req.Request.Context())
	_ = db.PingContext(context.Background()) // want `^context\.Background\(\) in others\.Restful cuts DB\.PingContext off from the request's deadline; use req\.Request\.Context\(\) \(CTX101\)$`
}

type reconciler struct{}

// Reconcile works for a queue.
func (r *reconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	return reconcile.Result{}, db.PingContext(context.Background()) // want `^context\.Background\(\) in reconciler\.Reconcile cuts DB\.PingContext off from the caller's deadline; use ctx \(CTX101\)$`
}

func Bun(w http.ResponseWriter, req bunrouter.Request) error {
	if err := db.PingContext(req.Context()); err != nil {
		return err
	}
	return db.PingContext(context.Background()) // want `off from the request's deadline; use req\.Context\(\) \(CTX101\)$`
}

// Hertz gives a context of which it is not known that it ends.
func Hertz(ctx context.Context, c *app.RequestContext) {
	_ = db.PingContext(ctx)
	_ = db.PingContext(context.Background()) // want `off from the caller's deadline; use ctx \(CTX101\)$`
}

func Tool(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return nil, db.PingContext(context.Background()) // want `off from the request's deadline; use ctx \(CTX101\)$`
}

type email struct{}

type worker struct{}

func (worker) Work(ctx context.Context, job *river.Job[email]) error {
	return db.PingContext(context.Background()) // want `off from the request's deadline; use ctx \(CTX101\)$`
}

// Watermill's message has the context.
func Watermill(m *message.Message) error {
	if err := db.PingContext(m.Context()); err != nil {
		return err
	}
	return db.PingContext(context.Background()) // want `off from the caller's deadline; use m\.Context\(\) \(CTX101\)$`
}

func Kit() *khttp.Server { return khttp.NewServer(endpoint, nil, nil) }

func endpoint(ctx context.Context, request any) (any, error) {
	return nil, db.PingContext(context.Background()) // want `off from the request's deadline; use ctx \(CTX101\)$`
}

// Command is given the context that the program runs on.
func Command(ctx context.Context, cmd *cli.Command) error {
	return db.PingContext(context.Background()) // want `off from the caller's deadline; use ctx \(CTX101\)$`
}
