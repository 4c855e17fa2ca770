// Package e2e builds golangci-lint with ctxprop in it and runs it as its users
// do. It imports neither, so that the test is not linked with both: all is done
// through commands.
package e2e
