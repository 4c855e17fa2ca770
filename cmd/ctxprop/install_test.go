package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// TestInstall installs the module as its users do, from a module proxy that
// has this checkout as a release. A replace directive, a file that a module
// may not have, or a package that only builds here would show.
func TestInstall(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the command with an empty module cache")
	}
	const version = "v0.0.1"
	proxy := t.TempDir()
	publish(t, proxy, module.Version{Path: "github.com/ctxprop/ctxprop", Version: version}, "../..")
	env := goEnv(t, "GOCACHE", "GOMODCACHE")
	downloads := filepath.Join(env["GOMODCACHE"], "cache", "download")
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/install",
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("GOCACHE", env["GOCACHE"])
			e.Setenv("GOMODCACHE", filepath.Join(e.WorkDir, "modcache"))
			e.Setenv("GOPROXY", "file://"+filepath.ToSlash(proxy)+",file://"+filepath.ToSlash(downloads))
			e.Setenv("GOSUMDB", "off")
			e.Setenv("GOFLAGS", "-modcacherw") // so that it can be removed
			e.Setenv("GOBIN", filepath.Join(e.WorkDir, "bin"))
			e.Setenv("VERSION", version)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
	})
}

// publish writes dir as version m below proxy, in the layout of the module
// proxy protocol.
func publish(t *testing.T, proxy string, m module.Version, dir string) {
	t.Helper()
	versions := filepath.Join(proxy, filepath.FromSlash(m.Path), "@v")
	if err := os.MkdirAll(versions, 0o777); err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	info, err := json.Marshal(map[string]string{"Version": m.Version, "Time": "2026-01-01T00:00:00Z"})
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"list": []byte(m.Version + "\n"), m.Version + ".info": info, m.Version + ".mod": mod} {
		if err := os.WriteFile(filepath.Join(versions, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	file, err := os.Create(filepath.Join(versions, m.Version+".zip"))
	if err != nil {
		t.Fatal(err)
	}
	if err := zip.CreateFromDir(file, m, dir); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}
