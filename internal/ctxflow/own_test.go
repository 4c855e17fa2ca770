package ctxflow

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
)

// TestIsOwn goes through the rule in its order, with what the drivers give:
// go vet knows no module for the standard library, Bazel's nogo for nothing,
// and a vendored dependency has a module with a version.
func TestIsOwn(t *testing.T) {
	var (
		mine     = &analysis.Module{Path: "example.com/app"}
		released = &analysis.Module{Path: "example.com/lib", Version: "v1.2.3"}
		none     *analysis.Module
		empty    = &analysis.Module{}
	)
	for _, test := range []struct {
		name   string
		pkg    string
		file   string
		module *analysis.Module
		own    []string
		want   bool
	}{
		{"own module", "example.com/app/store", "/src/app/store/store.go", mine, nil, true},
		{"main package", "example.com/app/cmd", "/src/app/cmd/main.go", mine, nil, true},
		{"in-package test", "example.com/app/store_test", "/src/app/store/store_test.go", mine, nil, true},
		{"workspace or replaced by a folder", "example.com/lib", "/src/lib/lib.go", &analysis.Module{Path: "example.com/lib"}, nil, true},
		{"on Windows", "example.com/app/store", `C:\src\app\store\store.go`, mine, nil, true},
		{"generated into the build cache", "example.com/app/store.test", "/home/u/.cache/go-build/0b/0b1c2d3e4f5061728394a5b6c7d8e9f00112233445566778899aabbccddeeff0-d/main.go", mine, nil, false},
		{"made by cgo", "example.com/app/store", "/tmp/go-build1234/b001/_cgo_gotypes.go", mine, nil, false},
		{"cgo, in the cache of another name", "example.com/app/store", "/cache/0b/0b1c2d3e4f5061728394a5b6c7d8e9f00112233445566778899aabbccddeeff0-d/_cgo_gotypes.go", mine, nil, false},
		{"without files", "example.com/app/empty", "", mine, nil, false},

		{"a dependency", "example.com/lib", "/home/u/go/pkg/mod/example.com/lib@v1.2.3/lib.go", released, nil, false},
		{"a vendored dependency", "example.com/lib", "/src/app/vendor/example.com/lib/lib.go", released, nil, false},
		{"own folder named external", "example.com/app/external", "/src/app/external/client.go", mine, nil, true},

		{"the standard library", "net/textproto", "/usr/local/go/src/net/textproto/reader.go", none, nil, false},
		{"the standard library's own vendor folder", "vendor/golang.org/x/net/dns/dnsmessage", "/usr/local/go/src/vendor/golang.org/x/net/dns/dnsmessage/message.go", none, nil, false},
		{"the standard library's tests", "net/textproto_test", "/usr/local/go/src/net/textproto/reader_test.go", empty, nil, false},
		{"the standard library, for those who work on it", "net/textproto", "/src/go/src/net/textproto/reader.go", &analysis.Module{Path: "std"}, nil, true},

		{"no module", "example.com/app/store", "/src/app/store/store.go", none, nil, true},
		{"empty module", "example.com/app/store", "/src/app/store/store.go", empty, nil, true},
		{"GOPATH", "app", "/go/src/app/app.go", none, nil, true},
		{"no module, vendored", "example.com/lib", "/go/src/app/vendor/example.com/lib/lib.go", none, nil, false},
		{"Bazel's external repositories", "example.com/lib", "external/com_example_lib/lib.go", none, nil, false},
		{"Bazel's, below the execution root", "example.com/lib", "/root/execroot/main/external/com_example_lib/lib.go", empty, nil, false},
		{"no module, in the module cache", "example.com/lib", "/home/u/go/pkg/mod/example.com/lib@v1.2.3/lib.go", none, nil, false},
		{"a folder that only sounds like it", "example.com/app/externals", "/src/app/externals/a.go", none, nil, true},
		{"a file that only sounds like it", "example.com/app/store", "/src/app/store/external.go", none, nil, true},
		{"a version in the own path", "example.com/app/v2/store", "/src/app/v2/store/store.go", mine, nil, true},

		{"catalogued", "google.golang.org/grpc", "/src/grpc-go/server.go", &analysis.Module{Path: "google.golang.org/grpc"}, nil, false},
		{"catalogued, and named", "google.golang.org/grpc", "/src/grpc-go/server.go", mine, []string{"google.golang.org/grpc"}, false},
		{"catalogued, and all", "google.golang.org/grpc", "/src/grpc-go/server.go", mine, []string{"all"}, true},
		{"named", "example.com/lib", "/home/u/go/pkg/mod/example.com/lib@v1.2.3/lib.go", released, []string{"example.org", "example.com/lib"}, true},
		{"below the named", "example.com/lib/sub", "/home/u/go/pkg/mod/example.com/lib@v1.2.3/sub/sub.go", released, []string{"example.com/lib/"}, true},
		{"beside the named", "example.com/library", "/home/u/go/pkg/mod/example.com/library@v1.2.3/l.go", released, []string{"example.com/lib"}, false},
		{"named and generated", "example.com/lib", "/tmp/go-build1234/b001/_cgo_gotypes.go", mine, []string{"example.com/lib"}, true},
		{"std, and all", "net/textproto", "/usr/local/go/src/net/textproto/reader.go", none, []string{"all"}, true},
		{"own by module, others named", "example.com/app/store", "/src/app/store/store.go", mine, []string{"example.com/lib"}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := &settings{cfg: Config{Own: test.own}}
			got, err := isOwn(passOf(t, test.pkg, test.file, test.module), &s.cfg, s.tables)
			if err != nil || got != test.want {
				t.Errorf("isOwn() = %t, %v, want %t", got, err, test.want)
			}
		})
	}
}

// passOf is a pass over a package of one file, or of none.
func passOf(t *testing.T, pkg, file string, module *analysis.Module) *analysis.Pass {
	t.Helper()
	pass := &analysis.Pass{Fset: token.NewFileSet(), Pkg: types.NewPackage(pkg, "p"), Module: module}
	if file != "" {
		f, err := parser.ParseFile(pass.Fset, file, "package p", 0)
		if err != nil {
			t.Fatal(err)
		}
		pass.Files = []*ast.File{f}
	}
	return pass
}

func TestOwnFlag(t *testing.T) {
	var cfg Config
	flag := (*prefixList)(&cfg.Own)
	for _, test := range []struct{ value, want string }{
		{"a.example/x", "a.example/x"},
		{"a.example/x,,b.example,", "a.example/x,b.example"},
		{"", ""},
	} {
		if err := flag.Set(test.value); err != nil {
			t.Fatal(err)
		}
		if got := flag.String(); got != test.want {
			t.Errorf("after Set(%q): %q, want %q", test.value, got, test.want)
		}
	}
}

// TestStdList keeps std.txt, which is embedded since an analyzer reads no
// files and runs no commands, at what the toolchain has. The vendor folder is
// known by its prefix.
func TestStdList(t *testing.T) {
	out, err := exec.Command("go", "list", "std").Output()
	if err != nil {
		t.Fatal(err)
	}
	want := slices.DeleteFunc(strings.Fields(string(out)), func(p string) bool { return strings.HasPrefix(p, "vendor/") })
	slices.Sort(want)
	if !slices.Equal(stdPackages(), want) {
		t.Error("std.txt is not what go list std prints: go list std | grep -v ^vendor/ >internal/ctxflow/std.txt")
	}
}
