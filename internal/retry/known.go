package retry

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ctxprop/ctxprop/internal/spell"
)

// servicesOf groups full method names by service.
func servicesOf(methods []string) map[string][]string {
	services := map[string][]string{}
	for _, m := range methods {
		if service, method, ok := strings.Cut(strings.TrimPrefix(m, "/"), "/"); ok {
			services[service] = append(services[service], method)
		}
	}
	return services
}

// checkKnown compares a name with the services that are known. That one is
// not known says nothing by itself: its generated code may be elsewhere.
func (c *ServiceConfig) checkKnown(name wireName, n *node) {
	if name.Service == "" || len(c.words.services) == 0 {
		return
	}
	methods, known := c.words.services[name.Service]
	switch {
	case !known:
		c.checkService(name.Service, n.get("service"))
	case name.Method != "" && !slices.Contains(methods, name.Method):
		p := c.ineffective(n.get("method"), "service %s has no method %s, so this name matches nothing", name.Service, name.Method)
		c.suggest(p, nearest(name.Method, methods))
	}
}

// checkOnly reports a config that names other services than those which are
// called on its connection, and only others. A text that serves several
// connections names the services of all.
func (c *ServiceConfig) checkOnly(entries []wireEntry, n *node) {
	var first *node
	names := 0
	for i, e := range entries {
		if e.Name == nil {
			continue
		}
		for j, name := range *e.Name {
			if name.Service == "" || slices.Contains(c.client.Only, name.Service) {
				return
			}
			if first == nil {
				first = n.at(i).get("name").at(j).get("service")
			}
			names++
		}
	}
	if len(c.client.Only) == 0 || first == nil {
		return
	}
	if slices.ContainsFunc(c.Problems, func(p Problem) bool { return p.Start == first.start }) {
		return // the name is wrong in itself
	}
	if len(c.client.Only) == 1 && names == 1 {
		p := c.ineffective(first, "this service is not called on the connection, so the name matches nothing")
		c.suggest(p, c.client.Only[0])
		return
	}
	c.ineffective(first, "all that is called on the connection is %s, so the names in methodConfig match nothing", strings.Join(c.client.Only, " and "))
}

// checkService reports a service that is not known if one is whose name
// differs so little that no other can be meant.
func (c *ServiceConfig) checkService(service string, n *node) {
	var like []string
	for _, known := range slices.Sorted(maps.Keys(c.words.services)) {
		if resembles(service, known) {
			like = append(like, known)
		}
	}
	if like == nil || n == nil {
		return
	}
	p := c.ineffective(n, "no service is called %s, so this name matches nothing: grpc-go compares full names, in upper and lower case", service)
	if len(like) == 1 {
		c.suggest(p, like[0])
	}
}

// suggest adds what was probably meant to a message, and writes it.
func (c *ServiceConfig) suggest(p *Problem, meant string) {
	if meant == "" || p.Start == p.End {
		return
	}
	p.Message += "; did you mean " + meant + "?"
	p.Fix = "Write " + meant
	p.mend(p.Start, p.End, strconv.Quote(meant))
}

// resembles reports whether an unknown service must be a known one: it differs
// in case only, lacks the package, or in one letter of a name that is not short.
// Versions differ in digits, and are different services.
func resembles(service, known string) bool {
	if strings.EqualFold(service, known) {
		return true
	}
	if !strings.Contains(service, ".") {
		return strings.HasSuffix(known, "."+service)
	}
	return len(service) >= 8 && spell.Distance(service, known) == 1 && letters(service) != letters(known)
}

// letters is a name without digits.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return -1
		}
		return r
	}, s)
}
