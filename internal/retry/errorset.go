package retry

import (
	"math/bits"
	"slices"
	"strings"
)

// Class is a kind of error as a layer of retries tells it from others: the 17
// status codes of gRPC, numbered as there, and some that have no code.
type Class uint8

// The classes.
const (
	OK Class = iota // no error; as a code to retry on, it never applies
	Canceled
	UnknownCode // any error without a status, once it has crossed a connection
	InvalidArgument
	DeadlineExceeded
	NotFound
	AlreadyExists
	PermissionDenied
	ResourceExhausted
	FailedPrecondition
	Aborted
	OutOfRange
	Unimplemented
	Internal
	Unavailable
	DataLoss
	Unauthenticated
	Opaque          // a fresh error without a status, which wraps nothing
	Plain           // an error without a status, which may wrap anything
	Permanent       // marked as one that must not be retried, by whatever library
	ContextCanceled // the context's own end, on this side of a connection
	ContextDeadline

	classes int = iota
)

// codeNames are the names in JSON, by code.
var codeNames = [...]string{
	OK: "OK", Canceled: "CANCELLED", UnknownCode: "UNKNOWN", InvalidArgument: "INVALID_ARGUMENT",
	DeadlineExceeded: "DEADLINE_EXCEEDED", NotFound: "NOT_FOUND", AlreadyExists: "ALREADY_EXISTS",
	PermissionDenied: "PERMISSION_DENIED", ResourceExhausted: "RESOURCE_EXHAUSTED",
	FailedPrecondition: "FAILED_PRECONDITION", Aborted: "ABORTED", OutOfRange: "OUT_OF_RANGE",
	Unimplemented: "UNIMPLEMENTED", Internal: "INTERNAL", Unavailable: "UNAVAILABLE",
	DataLoss: "DATA_LOSS", Unauthenticated: "UNAUTHENTICATED",
}

// otherNames are those of the classes without a code, for messages.
var otherNames = [...]string{
	"a fresh error", "an error without a status", "a permanent error",
	"the context's cancellation", "the context's deadline",
}

// codeByName finds a code by its name in JSON.
func codeByName(name string) (Class, bool) {
	i := slices.Index(codeNames[:], name)
	return Class(max(i, 0)), i >= 0
}

func (c Class) String() string {
	if int(c) < len(codeNames) {
		return codeNames[c]
	}
	return otherNames[int(c)-len(codeNames)]
}

// ErrorSet is a set of classes.
type ErrorSet uint32

// AnyError has every class but OK, which is none.
const AnyError = ErrorSet(1<<classes-1) &^ (1 << OK)

// withoutStatus has the classes that are no code, and so do not cross a
// connection.
const withoutStatus = AnyError &^ (1<<(Unauthenticated+1) - 1)

// ContextEnd is the end of the context that the layer itself runs on.
const ContextEnd ErrorSet = 1<<ContextCanceled | 1<<ContextDeadline

// Errors is the set of the given classes.
func Errors(list ...Class) ErrorSet {
	var s ErrorSet
	for _, c := range list {
		s |= 1 << c
	}
	return s
}

// Has reports whether the class is in the set.
func (s ErrorSet) Has(c Class) bool { return s&(1<<c) != 0 }

// Meets reports whether the sets have a class in common.
func (s ErrorSet) Meets(t ErrorSet) bool { return s&t != 0 }

// Minus is the set without the classes of the other.
func (s ErrorSet) Minus(t ErrorSet) ErrorSet { return s &^ t }

// In reports whether the set is part of the other.
func (s ErrorSet) In(t ErrorSet) bool { return s&^t == 0 }

// Classes lists the set in the order of the codes.
func (s ErrorSet) Classes() []Class {
	list := make([]Class, 0, bits.OnesCount32(uint32(s)))
	for c := range Class(classes) {
		if s.Has(c) {
			list = append(list, c)
		}
	}
	return list
}

func (s ErrorSet) String() string {
	if s == AnyError {
		return "any error"
	}
	var names []string
	for _, c := range s.Classes() {
		names = append(names, c.String())
	}
	if names == nil {
		return "no error"
	}
	return strings.Join(names, ", ")
}

// Mapping is what becomes of an error on its way from one layer to the next.
// The zero value turns every error into none.
type Mapping struct {
	Keeps  ErrorSet // stays as it is
	Others ErrorSet // what any other error may turn into
}

// The usual mappings. Those of gRPC were measured on grpc-go 1.85.
var (
	// Kept: the error is returned as it is, or wrapped with %w, through which
	// grpc-go finds the status.
	Kept = Mapping{Keeps: AnyError}
	// Flattened: wrapped with %v, or replaced by errors.New.
	Flattened = Mapping{Others: Errors(Opaque)}
	// OverConnection: the error of a handler as its client sees it.
	OverConnection = Mapping{
		Keeps:  AnyError.Minus(withoutStatus),
		Others: Errors(UnknownCode, DeadlineExceeded, Canceled),
	}
	// Untold: a function of which nothing is known had it.
	Untold = Mapping{Others: AnyError}
)

// Replaced is the mapping of code that returns a status with this code.
func Replaced(code Class) Mapping { return Mapping{Others: Errors(code)} }

// Apply maps a set of errors.
func (m Mapping) Apply(s ErrorSet) ErrorSet {
	out := s & m.Keeps
	if !s.In(m.Keeps) {
		out |= m.Others
	}
	return out
}

// Then is the mapping m followed by n.
func (m Mapping) Then(n Mapping) Mapping {
	out := Mapping{Others: n.Apply(m.Others)}
	for _, c := range m.Keeps.Classes() {
		if one := Errors(c); n.Apply(one) == one {
			out.Keeps |= one
		} else {
			out.Others |= n.Apply(one)
		}
	}
	return out
}
