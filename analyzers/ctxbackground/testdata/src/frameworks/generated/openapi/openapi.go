// Package openapi stands for what oapi-codegen makes for strict servers.
package openapi

import (
	"context"
	"net/http"
)

type ListRequestObject struct{}

type ListResponseObject interface {
	VisitListResponse(w http.ResponseWriter) error
}

type StrictServerInterface interface {
	List(ctx context.Context, request ListRequestObject) (ListResponseObject, error)
}

type ServerInterface interface {
	List(w http.ResponseWriter, r *http.Request)
}

type StrictMiddlewareFunc func(operation string)

func NewStrictHandler(ssi StrictServerInterface, middlewares []StrictMiddlewareFunc) ServerInterface {
	return nil
}
