// Package bunrouter has of the real one what the tests call.
package bunrouter

import "net/http"

type Request struct{ *http.Request }
