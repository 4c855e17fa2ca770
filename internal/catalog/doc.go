// Package catalog holds what ctxprop knows about the APIs that services are
// built from: which calls make, derive or drop a context, which ones block and
// on whose context, which run their function argument later or elsewhere, and
// what starts a request. The knowledge is text, one line per symbol, in the
// *.cat files of this folder, one file per family of APIs; a user adds lines of
// the same form with the flag -ctxflow.catalog.
//
// What a function of the user's own code does is not written here: that is
// computed. What happens inside the libraries is never looked at: that is
// written here.
//
// # Lines
//
// A line has a kind, a symbol, and attributes. A # at the start of a word
// begins a comment. Lines end with a newline or, handy in a flag, a semicolon.
//
//	KIND SYMBOL [ATTRIBUTE …] [# comment]
//
//	block  (*example.com/store.Client).Fetch class=rpc
//	quiet  example.com/telemetry/...   # records, never waits
//
// # Symbols
//
//	net/http.NewRequest            a function
//	(*net/http.Client).Do          a method with a pointer receiver
//	(net.Conn).Read                a method with a value receiver, or of an interface
//	(example.com/kv.Commands).*    every method of a type
//	log/slog.*                     every function and method of a package
//	example.com/telemetry/...      the same for a package and all below it
//	example.com/cloud.New*Client   every function of such a name
//	example.com/cloud/....New      the functions of a name in a package and all
//	                               below it, which may have a * as well
//
// The forms for more than one function are for quiet, block and twin only. A
// block line of these forms speaks only of functions that have a
// context.Context parameter: it says of a whole client what else its signatures
// alone would say, and what it waits for. A twin line of these forms has a * for
// the function's name in its use=, use=*WithContext, and speaks of those
// functions that have this sibling, next to a line of another kind about all.
//
// Type parameters are left out. A method is named by the type that declares it:
// a promoted method by the embedded type, an interface's method by the
// interface in whose body it stands. The most precise line wins: the symbol
// itself, then names with a *, the longest first, its type, its package, then the
// longest tree. Before all of them
// come lines about the type through which a method is called, if that is another
// than the one which declares it. A line of the flag replaces a built-in one of
// the same symbol.
//
// The packages that the built-in lines name are never analysed as the user's
// own. A line of the flag may describe a function of the user's own package
// without that.
//
// # Kinds
//
//	fresh     returns a root context
//	derive    returns a context derived from its context argument.
//	          bounded: with a deadline; values: only values are added
//	detach    returns a context with its argument's values and no cancellation
//	carry     returns a value which holds its context argument, for its Context
//	          method to return or for its blocking methods (ctx=recv) to use
//	bare      returns such a value without any caller's context.
//	          use=NAME: the sibling of kind carry
//	block     blocks, and honours its context. class=CLASS (required);
//	          write: changes state, so that giving up half-way may matter
//	wait      blocks and no context can end it. class=CLASS (required);
//	          join: until work that a spawn line started has ended
//	twin      blocks without a context although a sibling takes one.
//	          use=NAME and class=CLASS (required); write
//	quiet     blocks for no caller, or is not worth a report: logging, metrics,
//	          tracing, constructors that store their context for their own use
//	noreturn  never returns to its caller
//	sync      calls its function argument before it returns
//	spawn     runs its function argument concurrently.
//	          wait=NAME: the method of the same receiver that awaits it
//	later     runs its function argument after, and apart from, its caller
//	shared    runs its function argument once, on behalf of many callers
//	retry     calls its function argument again as long as it fails, and returns
//	          then. attempts=N, N-M or inf: how often in all; count=N: the
//	          parameter that says it; without either that is not known
//
// Two more say what a function is, next to whatever a line of another kind says
// of calling it:
//
//	handler   starts a request, like a function of a root's shape
//	expensive works long without blocking: a merge, a render, a compression
//
// # Attributes
//
//	ctx=N      parameter N, counted from 0, is or provides the context; without
//	           it, the first parameter of type context.Context.
//	           For derive, detach, carry and block; and for handler, where
//	           without it the first that is or provides a context is meant
//	ctx=recv   the receiver holds it, or is it. For block, and for derive, detach
//	           and carry
//	fn=N       parameter N is the function argument; without it, every parameter
//	           of function type, for retry the first that returns an error. For
//	           sync, spawn, later, shared and retry; and for block, which calls it
//	           before it returns
//	use=NAME   a method of the same receiver or a function of the same package;
//	           use=TYPE.NAME is a method of another type of the package
//	class=     one of rpc, sql, http, net, exec, cache, queue, wait, lock, file
//
// # Roots
//
//	root func(TYPES) [RESULTS] name="what it is" [ctx=N] [grade=C]
//	root (PACKAGE.INTERFACE).METHOD name="what it is" [ctx=N] [grade=C]
//	root SYMBOL fn=N name="what it is" [grade=C]
//	service TYPE
//	service NAME func(TYPES) [RESULTS] name="what a method is"
//
// The first form says that every function, method and closure of that shape
// starts a request; the second that the method does in every type which
// implements the interface; the third that what SYMBOL, a function or method, is
// given as parameter N does: a function, or a value with all its exported methods
// that have a context. grade=C is for what has a caller's context but serves no
// request, and for requests whose contexts never end by themselves. ctx is the
// parameter that is or provides the context; without it, the first that is a
// context.Context or has a method Context() context.Context.
//
// service lines are for the functions that code generators make to register the
// implementation of a service: every method of the interface that such a function
// is given is a root. The short form means a function RegisterXServer(TYPE,
// XServer). In the long form NAME is the function's name, in which a * stands for
// the service's; the interface is the first parameter written _, and its name
// begins with the service's.
//
// A type is a predeclared name (error, any, string), a name with its package's
// whole path (*net/http.Request), a pointer, slice or func of types, or _ for
// any type. As a type's name _ means any type of the package, and as its package
// any package. Type arguments may be given, connectrpc.com/connect.Request[_], or
// left out to match all. In a list of types, ... stands for any number of
// them; a variadic parameter is a slice.
//
//	root func(..., net/http.ResponseWriter, ..., *net/http.Request, ...) ... name="net/http handler"
//
// # Providers
//
//	provider TYPE [expr=CHAIN] [deaf] [unless=TYPE.FIELD] [unset]
//
// A value of TYPE, or of a type that embeds it, stands for a request. CHAIN is
// what it is asked for the request's context: fields and methods without
// parameters, a method last, as in Request().Context(). A type with a method
// Context() context.Context needs no line.
//
//	deaf       TYPE has the methods of a context, but does not end with the request
//	unless=    but where this field of a type of the same package is set
//	unset      the chain yields a root, unless the program puts a context there:
//	           nothing is lost with it in a package that never asks for it
//
// # Directives
//
// In the user's own code a line may stand at the declaration that it is about,
// a function, a method or an interface's method, without the symbol:
//
//	// Publish waits until a broker has the event.
//	//
//	//ctxprop:block class=queue
//	func (b *Bus) Publish(ctx context.Context, e Event)
//
// handler at an interface's method is a root line: it makes roots of the
// methods that implement it.
package catalog
