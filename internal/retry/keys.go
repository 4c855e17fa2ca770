package retry

import (
	"slices"
	"strings"

	"github.com/ctxprop/ctxprop/internal/spell"
)

// shape is what grpc-go expects of a value.
type shape struct {
	is     is
	fields []field // of an object
	elem   *shape  // of an array
}

type field struct {
	key string
	*shape
}

type is uint8

const (
	isObject is = iota
	isArray
	isString
	isBool
	isInteger
	isFloat
	isDuration
	isDurationOrNull
	isCode
	isAnything
)

func one(i is) *shape                 { return &shape{is: i} }
func list(elem *shape) *shape         { return &shape{is: isArray, elem: elem} }
func objectOf(fields ...field) *shape { return &shape{is: isObject, fields: fields} }

// The keys of a service config that grpc-go reads.
var (
	policyShape = objectOf(
		field{"maxAttempts", one(isInteger)},
		field{"initialBackoff", one(isDuration)},
		field{"maxBackoff", one(isDuration)},
		field{"backoffMultiplier", one(isFloat)},
		field{"retryableStatusCodes", list(one(isCode))},
	)
	nameShape  = objectOf(field{"service", one(isString)}, field{"method", one(isString)})
	entryShape = objectOf(
		field{"name", list(nameShape)},
		field{"waitForReady", one(isBool)},
		field{"timeout", one(isDurationOrNull)},
		field{"maxRequestMessageBytes", one(isInteger)},
		field{"maxResponseMessageBytes", one(isInteger)},
		field{"retryPolicy", policyShape},
	)
	throttleShape = objectOf(field{"maxTokens", one(isFloat)}, field{"tokenRatio", one(isFloat)})
	configShape   = objectOf(
		field{"loadBalancingPolicy", one(isString)},
		field{"loadBalancingConfig", one(isAnything)},
		field{"methodConfig", list(entryShape)},
		field{"retryThrottling", throttleShape},
		field{"healthCheckConfig", objectOf(field{"serviceName", one(isString)})},
	)
)

// homes say where a key belongs that is known somewhere else.
var homes = []struct {
	of    *shape
	where string
}{
	{configShape, "at the top level"},
	{entryShape, "in an entry of methodConfig"},
	{nameShape, "in an element of name"},
	{policyShape, "in retryPolicy"},
	{throttleShape, "in retryThrottling"},
}

// unimplemented are keys of the specification, gRFC A6, that grpc-go 1.85
// does not implement.
var unimplemented = []string{"hedgingPolicy", "perAttemptRecvTimeout"}

// find returns the field that a key sets, matched as package encoding/json
// does, or nil.
func (s *shape) find(key string) *field {
	i := slices.IndexFunc(s.fields, func(f field) bool { return strings.EqualFold(f.key, key) })
	if i < 0 {
		return nil
	}
	return &s.fields[i]
}

func (s *shape) keys() []string {
	keys := make([]string, len(s.fields))
	for i, f := range s.fields {
		keys[i] = f.key
	}
	return keys
}

// words are the names that misspelt ones are compared with. They are shared
// between the config and what it becomes with a fix, for it is read again for
// every fix that is tried out.
type words struct {
	services map[string][]string // with their methods
	keys     map[*shape]map[string]string
}

// meant returns the key of the shape that an unknown one was probably meant to
// be, or "".
func (w *words) meant(s *shape, key string) string {
	meant, ok := w.keys[s][key]
	if ok || len(key) > maxKey {
		return meant
	}
	if w.keys == nil {
		w.keys = map[*shape]map[string]string{}
	}
	if w.keys[s] == nil {
		w.keys[s] = map[string]string{}
	}
	w.keys[s][key] = nearest(key, s.keys())
	return w.keys[s][key]
}

// maxKey is the length from which on a key is no misspelling of ours.
const maxKey = 64

// isRemark reports whether a key is one of those that people write remarks
// under, where JSON has no comments.
func isRemark(key string) bool {
	if key == "" || strings.ContainsAny(key[:1], "_$#/@") {
		return true
	}
	return slices.Contains([]string{"comment", "comments", "description", "note", "notes", "doc", "remark", "todo"}, strings.ToLower(key))
}

// nearest returns the candidate that a name was probably meant to be, or "".
func nearest(name string, candidates []string) string {
	if near := spell.Nearest(name, candidates); near != "" {
		return near
	}
	// retryThrottlingPolicy and the like: the name with something added.
	lower := strings.ToLower(name)
	for _, c := range candidates {
		if len(c) >= 8 && strings.Contains(lower, strings.ToLower(c)) {
			return c
		}
	}
	return ""
}
