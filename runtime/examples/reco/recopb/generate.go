// Package recopb is the API of the two services, generated from reco.proto.
// To generate it again after a change, have protoc in PATH and run go generate.
package recopb

//go:generate ./generate.sh
