// Package formats checks what ctxprop prints, and what it reads as its
// configuration, against schemas: those of the standards and tools that read
// the output, and those that ctxprop publishes in schema. It is a module of its
// own, so that neither ctxprop nor its users depend on a validator:
//
//	GOWORK=off go test .
//
// The schemas of others are taken from Go modules that carry them, which are
// downloaded and neither built nor required.
package formats
