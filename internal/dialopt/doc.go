// Package dialopt finds in Go code how the retries of gRPC clients are
// configured: the texts of service configs that are given to a client, and the
// options beside them.
//
// A text is followed from the call that takes it back to where it is written:
// literals, constants, concatenation, fmt.Sprintf of constants, variables that
// are set once, embedded files, fields, and functions of the
// package that return it or pass it on. Nothing is guessed: what fmt.Sprintf
// writes of a number or a string that is not known is left open, and where
// anything else cannot be told, there is no text. Several texts that may reach
// one call are several configs.
package dialopt
