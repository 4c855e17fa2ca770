// Package others has handlers of frameworks whose contexts end with the request.
package others

import (
	"context"
	"database/sql"

	"github.com/emicklei/go-restful/v3"
	iris "github.com/kataras/iris/v12/context"
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
