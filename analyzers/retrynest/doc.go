// Package retrynest defines an Analyzer that finds retries that multiply,
// and retry policies that harm or do nothing.
//
// # Analyzer retrynest
//
// retrynest: check for retries that multiply and policies that harm
//
// Three layers of three attempts are 27 calls at the bottom, while the author
// of each layer sees three. The retrynest analyzer multiplies attempts along
// the call graph, and says what a gRPC service config will really do in
// grpc-go, which ignores most mistakes in one without a word.
package retrynest
