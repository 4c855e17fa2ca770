package catalog

import (
	"fmt"
	"go/token"
	"go/types"
	"strconv"
	"strings"
)

// A Service line names the functions that code generators make for registering
// the implementation of a service: in its short form by the type of servers,
// TYPE for RegisterXServer(TYPE, XServer), as protoc-gen-go-grpc makes them, and
// else by the function's name and shape.
type Service struct {
	Register string // the function's name, * for the service's: Register*Server
	Name     string // what its methods are, for messages: "gRPC method"
	Pos      Pos

	short TypeName // of the short form, which String gives back
	point bool
	shape funcPattern
}

// GRPCMethod is what methods of services that protoc-gen-go-grpc registers are
// called.
const GRPCMethod = "gRPC method"

func (s Service) String() string {
	switch {
	case s.short == TypeName{}:
		return s.Register + " " + s.shape.String()
	case s.point:
		return "*" + s.short.String()
	default:
		return s.short.String()
	}
}

// Types lists the named types of the line.
func (s Service) Types() []TypeName {
	var names []TypeName
	s.shape.names(func(n TypeName) { names = append(names, n) })
	return names
}

// Short reports whether the line has the short form, and whether its type is a
// pointer.
func (s Service) Short() (typ TypeName, pointer, ok bool) {
	return s.short, s.point, s.short != TypeName{}
}

func parseService(rest string) (Service, error) {
	word, after := nextWord(rest)
	if strings.HasPrefix(strings.TrimSpace(after), "func(") {
		return parseRegistration(word, after)
	}
	if extra := strings.TrimSpace(after); extra != "" {
		return Service{}, fmt.Errorf("service has no attributes: remove %q", extra)
	}
	name, pointer := strings.CutPrefix(word, "*")
	typ, err := parseTypeName(name)
	var server pattern = namedPattern{TypeName: typ}
	if pointer {
		server = pointerPattern{server}
	}
	return Service{
		Register: "Register*Server", Name: GRPCMethod, short: typ, point: pointer,
		shape: funcPattern{params: listPattern{server, anyPattern{}}},
	}, err
}

// parseRegistration reads the long form.
func parseRegistration(register, rest string) (Service, error) {
	s := Service{Register: register}
	if before, after, _ := strings.Cut(register, wildcard); !token.IsIdentifier(before + after) {
		return s, fmt.Errorf("%q is not the name of a function: write an identifier, with * for the service's name", register)
	}
	var err error
	if s.shape, rest, err = parseFuncPattern(rest); err != nil {
		return s, err
	}
	if s.served() < 0 {
		return s, fmt.Errorf("service needs a parameter _, which is the interface")
	}
	value, ok := strings.CutPrefix(strings.TrimSpace(rest), "name=")
	if s.Name, err = strconv.Unquote(value); err != nil || !ok || s.Name == "" {
		return s, fmt.Errorf(`service needs name="what a method is", and nothing else`)
	}
	return s, nil
}

// served is the index of the parameter which is the interface, or negative.
func (s Service) served() int {
	for i, p := range s.shape.params {
		switch p.(type) {
		case anyPattern:
			return i
		case restPattern:
			return -1
		}
	}
	return -1
}

// ServiceInterface tells whether fn is a function that a service line speaks
// of, and returns the interface, every method of which serves requests in the
// types that are given to fn, and what such a method is called.
func (c *Catalog) ServiceInterface(fn *types.Func) (iface *types.Named, name string, ok bool) {
	if fn.Signature().Recv() != nil {
		return nil, "", false
	}
	for _, s := range c.services {
		if iface, ok := s.registers(fn); ok {
			return iface, s.Name, true
		}
	}
	return nil, "", false
}

func (s Service) registers(fn *types.Func) (*types.Named, bool) {
	service, ok := matchName(s.Register, fn.Name())
	if service == "" && strings.Contains(s.Register, wildcard) {
		return nil, false // of which service?
	}
	if !ok || !s.shape.matchSignature(fn.Signature()) {
		return nil, false
	}
	iface, ok := types.Unalias(fn.Signature().Params().At(s.served()).Type()).(*types.Named)
	return iface, ok && types.IsInterface(iface) && strings.HasPrefix(iface.Obj().Name(), service)
}

// matchName matches a name against one with a *, and returns what the * stands
// for.
func matchName(pattern, name string) (string, bool) {
	before, after, wild := strings.Cut(pattern, wildcard)
	if !wild {
		return "", pattern == name
	}
	rest, ok := strings.CutPrefix(name, before)
	if !ok {
		return "", false
	}
	return strings.CutSuffix(rest, after)
}
