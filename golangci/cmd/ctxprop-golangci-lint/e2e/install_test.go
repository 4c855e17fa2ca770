package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/module"

	"github.com/ctxprop/ctxprop/internal/proxytest"
)

// go install takes the module from a proxy, as it will be released: go.mod is
// complete and says nothing that go install refuses, and no file is missing.
func TestInstall(t *testing.T) {
	const version = "v0.1.0" // of ctxprop in go.mod, if a proxy has no later one
	proxy := t.TempDir()
	for path, dir := range map[string]string{"": root, "/golangci/cmd/ctxprop-golangci-lint": ".."} {
		proxytest.Publish(t, proxy, module.Version{Path: "github.com/ctxprop/ctxprop" + path, Version: version}, dir)
	}
	out, err := exec.Command("go", "env", "GOMODCACHE", "GOPROXY").Output()
	if err != nil {
		t.Fatal(err)
	}
	modules, upstream, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	mine := t.TempDir()
	linkWithout(t, modules, mine, "github.com", "ctxprop")
	linkWithout(t, filepath.Join(modules, "cache", "download"), filepath.Join(mine, "cache", "download"), "github.com", "ctxprop")

	bin := t.TempDir()
	cmd := exec.Command("go", "install", "-trimpath", "-ldflags=-s -w", "github.com/ctxprop/ctxprop/golangci/cmd/ctxprop-golangci-lint@"+version)
	cmd.Dir = bin // outside of a module
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-modcacherw", "GOBIN="+bin, "GOMODCACHE="+mine, "GOSUMDB=off",
		"GOPROXY=file://"+filepath.ToSlash(proxy)+",file://"+filepath.ToSlash(filepath.Join(modules, "cache", "download"))+","+upstream)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, out)
	}
	tr := copyOf(t, root+"/examples/shop")
	tr.config(t)
	installed := filepath.Join(bin, "ctxprop-golangci-lint")
	same(t, "findings", tr.lint(t, installed, "./..."), tr.lint(t, linter, "./..."))
	if stdout, _ := tr.run(t, 0, installed, "version"); !strings.Contains(stdout, "ctxprop "+version) || !strings.Contains(stdout, "golangci-lint v2.") {
		t.Errorf("the version is %s", stdout)
	}
}

// linkWithout makes a folder that has what another one has, by links, but for
// dir/sub: a module cache to put modules into, without another copy of those of
// golangci-lint.
func linkWithout(t *testing.T, from, to, dir, sub string) {
	t.Helper()
	link := func(from, to, except string) {
		entries, err := os.ReadDir(from)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(to, 0o777); err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if e.Name() == except || e.Name() == "cache" {
				continue
			}
			if err := os.Symlink(filepath.Join(from, e.Name()), filepath.Join(to, e.Name())); err != nil {
				t.Fatal(err)
			}
		}
	}
	link(from, to, dir)
	link(filepath.Join(from, dir), filepath.Join(to, dir), sub)
}
