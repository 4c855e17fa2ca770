// Package other has texts for packages that import it.
package other

const Policy = `{"methodConfig": [{"name": [{"service": "p.S"}], "retryPolicy": {"maxAttempts": 9, "initialBackoff": "0.1s", "maxBackoff": "1s", "backoffMultiplier": 2, "retryableStatusCodes": ["UNAVAILABLE"]}}]}`

// Open is exported: what others set cannot be told.
var Open = `{"retryPolicy": {}}`
