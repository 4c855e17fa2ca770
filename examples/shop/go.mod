module github.com/ctxprop/ctxprop/examples/shop

go 1.26.0
