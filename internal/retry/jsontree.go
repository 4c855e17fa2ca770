package retry

import (
	"encoding/json"
	"errors"
	"strings"
)

// node is a JSON value with its place, which package encoding/json does not
// keep. Trees are made of valid text only, so building one cannot fail.
type node struct {
	kind       kind
	start, end int // bytes of the text
	str        string
	members    []member
	elems      []*node
}

type kind uint8

const (
	object kind = iota
	array
	text
	number
	boolean
	null
)

var kindNames = [...]string{object: "an object", array: "an array", text: "a string", number: "a number", boolean: "a boolean", null: "null"}

// member is one key of an object with its value.
type member struct {
	key               string
	keyStart, keyStop int // with the quotes
	value             *node
}

// parseTree returns the tree of a text, or the error of package encoding/json
// if it is not valid.
func parseTree(src string) (*node, *json.SyntaxError) {
	var raw json.RawMessage
	if err := json.Unmarshal([]byte(src), &raw); err != nil {
		syntax, ok := errors.AsType[*json.SyntaxError](err)
		if !ok { // no other error is known for raw text
			syntax = &json.SyntaxError{}
		}
		return nil, syntax
	}
	r := &treeReader{src: src}
	return r.value(), nil
}

// treeReader reads valid JSON.
type treeReader struct {
	src string
	pos int
}

func (r *treeReader) space() {
	for r.pos < len(r.src) && strings.IndexByte(" \t\r\n", r.src[r.pos]) >= 0 {
		r.pos++
	}
}

// next skips space, and one byte if it is c.
func (r *treeReader) next(c byte) bool {
	r.space()
	if r.src[r.pos] == c {
		r.pos++
		return true
	}
	return false
}

func (r *treeReader) value() *node {
	r.space()
	n := &node{start: r.pos}
	switch c := r.src[r.pos]; c {
	case '{':
		n.kind = object
		r.object(n)
	case '[':
		n.kind = array
		r.array(n)
	case '"':
		n.kind = text
		n.str = r.str()
	case 't', 'f':
		n.kind = boolean
		r.word()
	case 'n':
		n.kind = null
		r.word()
	default:
		n.kind = number
		r.word()
	}
	n.end = r.pos
	return n
}

func (r *treeReader) object(n *node) {
	r.pos++
	for first := true; !r.next('}'); first = false {
		if !first {
			r.next(',')
			r.space()
		}
		m := member{keyStart: r.pos}
		m.key = r.str()
		m.keyStop = r.pos
		r.next(':')
		m.value = r.value()
		n.members = append(n.members, m)
	}
}

func (r *treeReader) array(n *node) {
	r.pos++
	for first := true; !r.next(']'); first = false {
		if !first {
			r.next(',')
		}
		n.elems = append(n.elems, r.value())
	}
}

// str reads a string as package encoding/json decodes it.
func (r *treeReader) str() string {
	start := r.pos
	for r.pos++; r.src[r.pos] != '"'; r.pos++ {
		if r.src[r.pos] == '\\' {
			r.pos++
		}
	}
	r.pos++
	var s string
	_ = json.Unmarshal([]byte(r.src[start:r.pos]), &s) // it is valid
	return s
}

// word reads a number, true, false or null.
func (r *treeReader) word() {
	for r.pos < len(r.src) && strings.IndexByte(",]} \t\r\n", r.src[r.pos]) < 0 {
		r.pos++
	}
}

// get returns the value of the key, matched as package encoding/json does, or
// nil. Of several, the last counts.
func (n *node) get(key string) *node {
	if m := n.member(key); m != nil {
		return m.value
	}
	return nil
}

func (n *node) member(key string) *member {
	if n == nil {
		return nil
	}
	for i := len(n.members) - 1; i >= 0; i-- {
		if strings.EqualFold(n.members[i].key, key) {
			return &n.members[i]
		}
	}
	return nil
}

// at returns the i-th element, or nil.
func (n *node) at(i int) *node {
	if n == nil || i >= len(n.elems) {
		return nil
	}
	return n.elems[i]
}
