// Package provenance says where a context value comes from.
//
// It works on the SSA of one package. For a value that is a context, or that
// provides one through a method Context() context.Context (a request, a
// stream, a command), it computes the set of its possible origins: a
// parameter, a fresh root, a detached copy, something stored, or unknown.
// Each origin carries what happened on the way: whether a deadline was set,
// whether only values were kept, whether the origin is certain.
//
// The lattice is the powerset of origins; merges are unions. It is a may
// analysis with one must element: an origin is marked Maybe when the path on
// which it arises has tested another member of the mixture against nil (or
// its ok), because such a root is a default for callers that gave nothing.
// Callers judge a mixture by its worst origin that is not Maybe.
//
// Calls are looked up in the catalog and, for the user's own functions, in
// summaries through Oracle. A function of which nothing is known and that
// takes a context is trusted to derive its result from it.
package provenance

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Kind is where a context comes from.
type Kind uint8

const (
	// Unknown: nothing is said about the value, and nothing may be reported.
	Unknown Kind = iota
	// Nil is an untyped or typed nil.
	Nil
	// Param is a parameter that is or provides a context, or derived from it.
	Param
	// Fresh is a root such as context.Background(), or derived from one.
	Fresh
	// Absent is a provider that was given no context, such as the request
	// that http.NewRequest makes.
	Absent
	// Detached keeps a context's values and drops its cancellation.
	Detached
	// Stored was read from a field, a global, a map, a channel or a slice.
	Stored
)

func (k Kind) String() string {
	return [...]string{"unknown", "nil", "parameter", "fresh", "absent", "detached", "stored"}[k]
}

// Origin is one possible source of a context value.
type Origin struct {
	Kind Kind
	// Fn and Index name the parameter (the receiver counts) for Param.
	Fn    *ssa.Function
	Index int
	// Site is the call that makes a Fresh, Absent or Detached context, in the
	// function where its result is first seen.
	Site ssa.Instruction
	// Root is how the source spells a Fresh root: context.Background().
	Root string
	// Helper is the own function that made the root, or nil if Site did.
	Helper *Helper
	// Field is the receiver's field that a Stored context was read from, if it
	// was one.
	Field *types.Var
	// Bounded: a deadline or timeout was set since.
	Bounded bool
	// Values: only values of another context were copied into a root.
	Values bool
	// Maybe: the origin only stands in where another one is nil or missing.
	Maybe bool
	// Deaf: it is a context that does not end with the request which it stands
	// for, such as gin's, and not the one that it can be asked for.
	Deaf bool
	// Cancelled: a cancel function was made for it (WithCancel and the like).
	Cancelled bool
}

// Helper is an own function that returns a context.
type Helper struct {
	Name string
	Fn   *ssa.Function // if it is in this package
	Obj  *types.Func   // nil for closures
	// HadContext: it took a context, or a value that provides one, and
	// returned one that is not derived from it.
	HadContext bool
}

// Certain reports whether any origin is of the kind and not Maybe, and
// returns the first such.
func Certain(os []Origin, kind Kind) (Origin, bool) {
	for _, o := range os {
		if o.Kind == kind && !o.Maybe {
			return o, true
		}
	}
	return Origin{}, false
}

// ResultOrigin is the summary form of an origin of a function's result, in
// terms of that function.
type ResultOrigin struct {
	Kind       Kind
	Param      int // for Param: index among the parameters, the receiver counts
	Root       string
	Bounded    bool
	Values     bool
	Maybe      bool
	HadContext bool // for Fresh: the function had a context it could have used
	Deaf       bool
}

// union appends those of b that a does not hold yet.
func union(a, b []Origin) []Origin {
outer:
	for _, o := range b {
		for i := range a {
			if a[i] == o {
				continue outer
			}
		}
		a = append(a, o)
	}
	return a
}

// with returns a copy of the origins, each changed by f.
func with(os []Origin, f func(*Origin)) []Origin {
	out := make([]Origin, len(os))
	for i, o := range os {
		f(&o)
		out[i] = o
	}
	return out
}
