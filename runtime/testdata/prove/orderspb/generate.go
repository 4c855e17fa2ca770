// Package orderspb is generated from orders.proto.
package orderspb

//go:generate ../../../examples/reco/recopb/generate.sh
