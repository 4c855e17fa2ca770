package catalog

import (
	"slices"
	"strings"
)

// A Kind says what a catalogued function does with contexts, time or the
// functions it is given. The package comment defines each.
type Kind uint8

// The kinds, in the order of the package comment.
const (
	Fresh Kind = iota + 1
	Derive
	Detach
	Carry
	Bare
	Block
	Wait
	Twin
	Quiet
	NoReturn
	Sync
	Spawn
	Later
	Shared
	Retry
	Handler
	Expensive
)

// attribute is one bit per attribute, for the sets in the table of kinds.
type attribute uint16

const (
	attrBounded attribute = 1 << iota
	attrValues
	attrWrite
	attrJoin
	attrClass
	attrCtx
	attrFn
	attrUse
	attrWait
	attrAttempts
	attrCount
)

var attributeNames = map[string]attribute{
	"bounded":  attrBounded,
	"values":   attrValues,
	"write":    attrWrite,
	"join":     attrJoin,
	"class":    attrClass,
	"ctx":      attrCtx,
	"fn":       attrFn,
	"use":      attrUse,
	"wait":     attrWait,
	"attempts": attrAttempts,
	"count":    attrCount,
}

// flagAttributes are written as a bare word, the others as name=value.
const flagAttributes = attrBounded | attrValues | attrWrite | attrJoin

// kinds is the grammar of lines: which attributes each kind may and must have.
var kinds = [...]struct {
	name     string
	allowed  attribute
	required attribute
	wide     bool // may name a whole type, package or tree
}{
	Fresh:    {name: "fresh"},
	Derive:   {name: "derive", allowed: attrBounded | attrValues | attrCtx},
	Detach:   {name: "detach", allowed: attrCtx},
	Carry:    {name: "carry", allowed: attrCtx},
	Bare:     {name: "bare", allowed: attrUse},
	Block:    {name: "block", allowed: attrClass | attrCtx | attrFn | attrWrite, required: attrClass, wide: true},
	Wait:     {name: "wait", allowed: attrClass | attrJoin, required: attrClass},
	Twin:     {name: "twin", allowed: attrUse | attrClass | attrWrite, required: attrUse | attrClass, wide: true},
	Quiet:    {name: "quiet", wide: true},
	NoReturn: {name: "noreturn"},
	Sync:     {name: "sync", allowed: attrFn},
	Spawn:    {name: "spawn", allowed: attrFn | attrWait},
	Later:    {name: "later", allowed: attrFn},
	Shared:   {name: "shared", allowed: attrFn},
	Retry:    {name: "retry", allowed: attrFn | attrAttempts | attrCount},

	Handler:   {name: "handler", allowed: attrCtx},
	Expensive: {name: "expensive"},
}

// mark reports whether a line of the kind says what a function is, next to
// whatever another line says of calling it.
func (k Kind) mark() bool { return k == Handler || k == Expensive }

func (k Kind) String() string { return kinds[k].name }

func kindNamed(name string) (Kind, bool) {
	for k := Fresh; int(k) < len(kinds); k++ {
		if kinds[k].name == name {
			return k, true
		}
	}
	return 0, false
}

// A Class says what a blocking call waits for.
type Class string

// The classes.
const (
	RPC     Class = "rpc"
	SQL     Class = "sql"
	HTTP    Class = "http"
	Net     Class = "net"
	Exec    Class = "exec"
	Cache   Class = "cache"
	Queue   Class = "queue"
	Waiting Class = "wait" // a sleep, a semaphore, a rate limiter, other goroutines
	Lock    Class = "lock"
	File    Class = "file"
)

var classes = []Class{RPC, SQL, HTTP, Net, Exec, Cache, Queue, Waiting, Lock, File}

// attributes says in words which attributes a kind can have, for errors.
func (k Kind) attributes() string {
	if kinds[k].allowed == 0 {
		return k.String() + " has none"
	}
	return k.String() + " can have " + attributeList(kinds[k].allowed)
}

// attributeList names the attributes of a set as they are written.
func attributeList(set attribute) string {
	var words []string
	for name, attr := range attributeNames {
		switch {
		case attr&set == 0:
		case attr&flagAttributes != 0:
			words = append(words, name)
		default:
			words = append(words, name+"=")
		}
	}
	slices.Sort(words)
	return strings.Join(words, ", ")
}
