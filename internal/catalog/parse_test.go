package catalog

import (
	"strings"
	"testing"
)

func TestParseErrors(t *testing.T) {
	tests := []struct{ name, line, want string }{
		{"unknown kind", "blocks net.Dial", `unknown kind "blocks": use one of fresh, derive, detach, carry, bare, block, wait, twin, quiet, noreturn, sync, spawn, later, shared, retry, handler, expensive, root, service, provider`},
		{"no symbol", "quiet", `quiet needs a symbol, such as net/http.NewRequest or (*net/http.Client).Do`},
		{"package without a form", "quiet log/slog", `symbol "log/slog" names no function: write log/slog.Func, log/slog.* for the whole package, or log/slog/... for all below it as well`},
		{"empty name", "quiet log/slog.", `symbol "log/slog." names no function: write log/slog.Func, log/slog.* for the whole package, or log/slog/... for all below it as well`},
		{"type parameters", "quiet slices.Sort[int]", `"Sort[int]" is not the name of a function: write an identifier, without type parameters, or with a * for any part of it`},
		{"empty path element", "quiet a//b.F", `"a//b" is not a package path`},
		{"no path", "quiet .F", `"" is not a package path`},
		{"method without brackets closed", "block (*a/b.C.D", `method "(*a/b.C.D" is malformed: write (*pkg/path.Type).Method or (pkg/path.Type).Method`},
		{"receiver without a package", "block (*DB).Query class=sql", `receiver "DB" is malformed: write the package's path, a dot and the type's name, without type parameters`},
		{"receiver with type parameters", "quiet (*a/b.List[T]).Push", `receiver "a/b.List[T]" is malformed: write the package's path, a dot and the type's name, without type parameters`},
		{"wide line of a narrow kind", "derive a/b.* values", `derive needs one function, not a/b.*: only quiet, block and twin lines can name a whole type or package`},
		{"wide tree of a narrow kind", "wait a/b/... class=wait", `wait needs one function, not a/b/...: only quiet, block and twin lines can name a whole type or package`},
		{"wide with ctx", "block (a/b.T).* class=rpc ctx=0", `ctx= and fn= need one function, not (a/b.T).*`},
		{"unknown attribute", "block a.F class=rpc slow", `unknown attribute "slow": block can have class=, ctx=, fn=, write`},
		{"attribute where none is", "fresh a.F bound", `unknown attribute "bound": fresh has none`},
		{"attribute of another kind", "quiet a.F class=rpc", `attribute "class" is not for quiet lines: quiet has none`},
		{"attribute twice", "block a.F class=rpc class=sql", `attribute "class" is given twice: remove one`},
		{"flag with a value", "derive a.F bounded=yes", `attribute "bounded" takes no value: write just bounded`},
		{"attribute without a value", "block a.F class", `attribute "class" needs a value: write class=…`},
		{"missing class", "block a.F", `block needs class=`},
		{"missing both", "twin a.F", `twin needs class=, use=`},
		{"unknown class", "wait a.F class=disk", `unknown class "disk": use one of rpc, sql, http, net, exec, cache, queue, wait, lock, file`},
		{"attempts", "retry a.F attempts=many", `attempts=many is no count of attempts: write N, N-M, inf, or ? where it is not known`},
		{"attempts the wrong way", "retry a.F attempts=5-3", `attempts=5-3 is no count of attempts: write N, N-M, inf, or ? where it is not known`},
		{"no attempts", "retry a.F attempts=0", `attempts=0 is no count of attempts: write N, N-M, inf, or ? where it is not known`},
		{"attempts and a count", "retry a.F attempts=3 count=1", `attempts= and count= say the same: write one of them`},
		{"count", "retry a.F count=n", `count=n is not the index of a parameter: count from 0, without the receiver`},
		{"index", "block a.F class=rpc ctx=first", `ctx=first is not the index of a parameter: count from 0, without the receiver`},
		{"negative index", "sync a.F fn=-1", `fn=-1 is not the index of a parameter: count from 0, without the receiver`},
		{"huge index", "sync a.F fn=100", `fn=100 is not the index of a parameter: count from 0, without the receiver`},
		{"sibling", "twin a.F class=sql use=b/c.G", `use=b/c.G is malformed: write the name of a method of the same receiver or of a function of the same package, or TYPE.NAME`},
		{"one sibling for many", "twin (a.T).* class=sql use=G", `use=G does not fit (a.T).*: write a * for the function's name where the line is about many, use=*Context, and only there`},
		{"many siblings for one", "twin (a.T).F class=sql use=*G", `use=*G does not fit (a.T).F: write a * for the function's name where the line is about many, use=*Context, and only there`},
		{"two stars", "quiet a.*New*", `"*New*" is not the name of a function: write an identifier, without type parameters, or with a * for any part of it`},
		{"awaiting method", "spawn (a.T).Go wait=(a.T).Wait", `wait=(a.T).Wait is not the name of a method`},

		{"root without anything", "root", `root needs a shape, func(TYPES) RESULTS, an interface's method, (pkg/path.Interface).Method, or with fn=N a function that is given the root`},
		{"root without shape", "root net/http.Handler", `root needs fn=N, the parameter of net/http.Handler that is the root; a shape is written func(TYPES) RESULTS, an interface's method (pkg/path.Interface).Method`},
		{"root of a shape with fn", `root func(error) fn=0 name="h"`, `fn= is for a function that is given the root, and goes without ctx=`},
		{"root with fn and ctx", `root a.F fn=0 ctx=0 name="h"`, `fn= is for a function that is given the root, and goes without ctx=`},
		{"root without name", "root func(error)", `root needs name="what it is"`},
		{"root with an empty name", `root func(error) name=""`, `root needs name="what it is"`},
		{"root with a bare name", `root func(error) name=handler`, `name=handler is malformed: write name="what it is"`},
		{"root with an open name", `root func(error) name="what it is`, `name="what it is is malformed: write name="what it is"`},
		{"root for a whole type", `root (net/http.Handler).* name="h"`, `root needs one method, not (net/http.Handler).*`},
		{"root grade", `root func(error) grade=N name="h"`, `unknown grade "N": use R or C`},
		{"root attribute", `root func(error) class=rpc name="h"`, `unknown attribute "class": root can have ctx=, fn=, grade=, name=`},
		{"root attribute twice", `root func(error) ctx=0 ctx=1 name="h"`, `attribute "ctx" is given twice: remove one`},
		{"open list", `root func(error name="h"`, `pattern is malformed at " name=\"h\"": want , or )`},
		{"unqualified type", `root func(Request) name="h"`, `pattern is malformed at "Request) name=\"h\"": want a type: _, a predeclared name, or a name with the path of its package`},
		{"empty type", `root func(,) name="h"`, `pattern is malformed at ",) name=\"h\"": want a type: _, a predeclared name, or a name with the path of its package`},
		{"named parameter", `root func(ctx context.Context) name="h"`, `pattern is malformed at "ctx context.Context) name=\"h\"": want a type: _, a predeclared name, or a name with the path of its package`},
		{"open type arguments", `root func(a.T[_) name="h"`, `pattern is malformed at ") name=\"h\"": want , or ]`},
		{"no space after the pattern", `root func(error) (error)x name="h"`, `pattern is malformed at "x name=\"h\"": want a space after the pattern`},

		{"service without type", "service", `type "" is malformed: write pkg/path.Name`},
		{"service with attributes", "service a.T ctx=0", `service has no attributes: remove "ctx=0"`},
		{"service with a bad name", `service New-*Server func(_) name="m"`, `"New-*Server" is not the name of a function: write an identifier, with * for the service's name`},
		{"service without an interface", `service New*Server func(a.T) name="m"`, `service needs a parameter _, which is the interface`},
		{"service with an interface after any number", `service New*Server func(..., _) name="m"`, `service needs a parameter _, which is the interface`},
		{"service without a name", `service New*Server func(_)`, `service needs name="what a method is", and nothing else`},
		{"service with more than a name", `service New*Server func(_) name="m" grade=C`, `service needs name="what a method is", and nothing else`},

		{"provider without type", "provider", `type "" is malformed: write pkg/path.Name`},
		{"provider of nothing", "provider a.T", `provider needs expr=, or deaf if the type is a context itself`},
		{"provider attribute", "provider a.T ctx=0", `unknown attribute "ctx=0": provider can have deaf, expr=, unless=, unset`},
		{"provider flag with a value", "provider a.T deaf=yes", `unknown attribute "deaf=yes": provider can have deaf, expr=, unless=, unset`},
		{"provider attribute twice", "provider a.T deaf deaf", `attribute "deaf" is given twice: remove one`},
		{"provider of a field", "provider a.T expr=Request", `expr=Request is malformed: write fields and methods without parameters, ending with a method: Request.Context()`},
		{"provider with arguments", "provider a.T expr=Get(0)", `expr=Get(0) is malformed: write fields and methods without parameters, ending with a method: Request.Context()`},
		{"provider that hears, unless", "provider a.T expr=Context() unless=E.F", `unless= is for deaf types only`},
		{"provider unless what", "provider a.T deaf unless=F", `unless=F is malformed: write TYPE.FIELD of the same package`},
		{"provider of nothing unset", "provider a.T deaf unset", `unset speaks of expr=, which is missing`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := new(Catalog).Extend("-ctxflow.catalog", "# the first line\n"+test.line)
			if err == nil {
				t.Fatal("no error")
			}
			if want := "-ctxflow.catalog:2: " + test.want; err.Error() != want {
				t.Errorf("got  %s\nwant %s", err, want)
			}
		})
	}
}

func TestDuplicates(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{
			"repeated", "fresh a.F\nfresh a.F",
			"x:2: a.F is already described at x:1: remove one of the lines",
		},
		{
			"contradictory", "quiet a.F; block a.F class=rpc",
			"x:1: a.F is already described at x:1: remove one of the lines",
		},
		{
			"receiver spelled both ways", "quiet (*a.T).F\nquiet (a.T).F",
			"x:2: (a.T).F is already described at x:1: remove one of the lines",
		},
		{
			"root in two spellings", "root func(error,any) name=\"a\"\nroot func( error, any ) name=\"b\"",
			"x:2: func(error, any) is already described at x:1: remove one of the lines",
		},
		{
			"service", "service a.T\nservice a.T",
			"x:2: a.T is already described at x:1: remove one of the lines",
		},
		{
			"provider in two spellings", "provider *a.T expr=Context()\nprovider a.T deaf",
			"x:2: a.T is already described at x:1: remove one of the lines",
		},
		{
			"root argument", "root a.F fn=0 name=\"a\"\nroot a.F fn=0 name=\"b\"",
			"x:2: a.F fn=0 is already described at x:1: remove one of the lines",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := new(Catalog).Extend("x", test.text)
			if err == nil || err.Error() != test.want {
				t.Errorf("got  %v\nwant %s", err, test.want)
			}
		})
	}
	for _, text := range []string{
		"quiet a.*\nquiet a/...\nquiet a.F\nquiet (a.T).*\nquiet (a.T).F",
		"service a.T\nservice *a.T",
	} {
		if _, err := new(Catalog).Extend("x", text); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestParseReportsEveryBadLine(t *testing.T) {
	_, err := new(Catalog).Extend("x", "fine a.F\nquiet a.G\nblock a.H")
	if err == nil || strings.Count(err.Error(), "\n") != 1 || !strings.Contains(err.Error(), "x:3: block needs class=") {
		t.Errorf("got %v, want the errors of lines 1 and 3", err)
	}
}

func TestStatements(t *testing.T) {
	tests := []struct {
		line string
		want []string
	}{
		{"", nil},
		{"  # quiet a.F", nil},
		{"quiet a.F # because", []string{"quiet a.F "}},
		{"quiet a.F;quiet a.G", []string{"quiet a.F", "quiet a.G"}},
		{"quiet a.F; # because; it is", []string{"quiet a.F"}},
		{"quiet a.F;;\t", []string{"quiet a.F"}},
		{"quiet a#b.F", []string{"quiet a#b.F"}},
		{`root func() name="a; b # c"`, []string{`root func() name="a; b # c"`}},
	}
	for _, test := range tests {
		got := statements(test.line)
		if strings.Join(got, "|") != strings.Join(test.want, "|") {
			t.Errorf("statements(%q) = %q, want %q", test.line, got, test.want)
		}
	}
}

func TestEntryStringIsItsLine(t *testing.T) {
	for _, line := range []string{
		"fresh context.Background",
		"derive context.WithTimeout bounded",
		"derive a/b.F ctx=1 values",
		"block (*a/b.T).F class=rpc ctx=recv write",
		"block a/b.F class=rpc ctx=0 fn=2",
		"wait (*a/b.T).Wait class=wait join",
		"twin a/b.F class=net use=Dialer.DialContext",
		"spawn (*a/b.T).Go wait=Wait",
		"quiet gopkg.in/yaml.v3/...",
		"quiet (a/b.T).*",
		"quiet (*a/b.T).Get*",
		"quiet a/b.New*Client",
		"quiet a/b/....New*Client",
		"quiet a/b/....NewClient",
		"twin a/b/... class=rpc use=*WithContext",
	} {
		parsed, err := parse("x", line)
		if err != nil {
			t.Errorf("%s: %v", line, err)
		} else if got := parsed.entries[0].String(); got != line {
			t.Errorf("got %q, want %q", got, line)
		}
	}
}

// FuzzParse: the parser answers with entries or an error, and what it accepts
// survives being written in canonical form and read again.
func FuzzParse(f *testing.F) {
	f.Add("block (*a/b.T).F class=rpc ctx=recv write # c\nquiet a/...;fresh x.Y")
	f.Add("twin a.F class=net use=T.M\nspawn (a.T).Go fn=0 wait=Wait")
	f.Add("root func(..., []*a/b.T[_, func(error) (any, _)], ...) ... ctx=0 grade=C name=\"x; y\"")
	f.Add("root (a/b.I).M name=\"m\"\nservice *a.T")
	f.Add("root a/b.F fn=1 name=\"m\"\nservice New*Server func(_, []any) a._ name=\"m\"")
	f.Add("provider *a.T expr=Request().Context() deaf unless=E.F unset")
	f.Add("root func(func(),func(error)error)error name=\"\\\"\"")
	f.Fuzz(func(t *testing.T, text string) {
		parsed, err := parse("x", text)
		if err != nil {
			return
		}
		for _, e := range parsed.entries {
			again, err := parse("x", e.String())
			if err != nil || len(again.entries) != 1 {
				t.Fatalf("%q is written as %q, which gives %v", text, e, err)
			}
			if got := again.entries[0]; got.String() != e.String() || got.Symbol != e.Symbol {
				t.Fatalf("%q is read as %q", e, got)
			}
		}
		for _, r := range parsed.roots {
			again, err := parse("x", "root "+r.String()+` name="r"`)
			if err != nil || len(again.roots) != 1 || again.roots[0].String() != r.String() {
				t.Fatalf("%q is written as %q, which gives %v", text, r, err)
			}
		}
		for _, p := range parsed.providers {
			again, err := parse("x", "provider "+p.String())
			if err != nil || len(again.providers) != 1 || again.providers[0].String() != p.String() {
				t.Fatalf("%q is written as %q, which gives %v", text, p, err)
			}
		}
		for _, s := range parsed.services {
			line := "service " + s.String()
			if _, _, short := s.Short(); !short {
				line += ` name="m"`
			}
			again, err := parse("x", line)
			if err != nil || len(again.services) != 1 || again.services[0].String() != s.String() {
				t.Fatalf("%q is written as %q, which gives %v", text, s, err)
			}
		}
	})
}
