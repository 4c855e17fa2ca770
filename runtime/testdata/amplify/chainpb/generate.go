// Package chainpb is generated from chain.proto.
package chainpb

//go:generate ../../../examples/reco/recopb/generate.sh
