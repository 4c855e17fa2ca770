// Package restful has of the real one what the tests call.
package restful

import "net/http"

type Request struct{ Request *http.Request }

type Response struct{ http.ResponseWriter }
