// Package bad has directives that say what cannot be.
package bad

import "context"

//ctxprop:block class=queue // want `//ctxprop:block: block is for a function that takes a context: without one it is a wait, or a twin if a sibling takes one`
func noContext() {}

//ctxprop:block // want `//ctxprop:block: block needs class=`
func noClass(ctx context.Context) {}

//ctxprop:twin use=noContext class=rpc // want `//ctxprop:twin: use=noContext takes no context`
func noTwin() error { return nil }

//ctxprop:twin use=missing class=rpc // want `//ctxprop:twin: use=missing names neither a method of the same type nor a function of the package`
func missingTwin() error { return nil }

//ctxprop:handler ctx=7 // want `//ctxprop:handler: handler is for a function with a parameter that is or provides a context`
func noRequest(ctx context.Context) {}

//ctxprop:blocks class=queue // want `unknown directive //ctxprop:blocks: write //ctxprop:allow CODE reason, or at a declaration one of fresh, derive, `
func unknown(ctx context.Context) {}

//ctxprop:detach // want `//ctxprop:detach declares nothing here: put it into the doc comment of a function, a method or an interface's method`
var notAFunction = context.Background()

//ctxprop:quiet
//ctxprop:wait class=rpc // want `is already described`
func twice() error { return nil }

// expensive goes with anything.
//
//ctxprop:quiet
//ctxprop:expensive
func merge(a, b []int) []int { return append(a, b...) }
