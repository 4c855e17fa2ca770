package catalog

import (
	"fmt"
	"go/types"
	"strings"
)

// A Service line names the type of servers that generated code registers its
// implementations with.
type Service struct {
	TypeName
	Pointer bool
	Pos     Pos
}

func (s Service) String() string {
	if s.Pointer {
		return "*" + s.TypeName.String()
	}
	return s.TypeName.String()
}

func parseService(rest string) (Service, error) {
	word, after := nextWord(rest)
	if extra := strings.TrimSpace(after); extra != "" {
		return Service{}, fmt.Errorf("service has no attributes: remove %q", extra)
	}
	name, pointer := strings.CutPrefix(word, "*")
	typ, err := parseTypeName(name)
	return Service{TypeName: typ, Pointer: pointer}, err
}

// ServiceInterface tells whether fn has the form func RegisterXServer(s TYPE,
// impl Interface) with a TYPE of a service line, and returns Interface, every
// method of which serves requests in the types that are given as impl.
func (c *Catalog) ServiceInterface(fn *types.Func) (*types.Named, bool) {
	sig := fn.Signature()
	params := sig.Params()
	if sig.Recv() != nil || params.Len() != 2 || !isRegisterName(fn.Name()) || !c.isService(params.At(0).Type()) {
		return nil, false
	}
	iface, ok := types.Unalias(params.At(1).Type()).(*types.Named)
	return iface, ok && types.IsInterface(iface)
}

// isRegisterName reports whether name is RegisterXServer, the name that
// protoc-gen-go-grpc makes.
func isRegisterName(name string) bool {
	service, ok := strings.CutPrefix(name, "Register")
	return ok && strings.HasSuffix(service, "Server")
}

func (c *Catalog) isService(t types.Type) bool {
	t = types.Unalias(t)
	ptr, pointer := t.(*types.Pointer)
	if pointer {
		t = types.Unalias(ptr.Elem())
	}
	named, ok := t.(*types.Named)
	if !ok {
		return false
	}
	for _, s := range c.services {
		if s.Pointer == pointer && s.Is(named.Obj()) {
			return true
		}
	}
	return false
}
