// Package lib does not have all its callers in sight.
package lib

import "net/http"

func Fetch() { _, _ = http.Get("https://example.com") } // silent: it is no command
