package main

import (
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/mod/module"

	"github.com/ctxprop/ctxprop/internal/proxytest"
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
	proxytest.Publish(t, proxy, module.Version{Path: "github.com/ctxprop/ctxprop", Version: version}, "../..")
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
