package main

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// The test binary is the command when it is run under its name.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"ctxprop": main})
}

// TestScript runs testdata/script. $CTXPROP is the command's file, for
// go vet -vettool. The scripts share the user's build cache, for the standard
// library's sake; their own packages are new to it, since they lie in a new
// directory each time.
func TestScript(t *testing.T) {
	env := goEnv(t, "GOCACHE", "GOMODCACHE", "GOROOT")
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			tool, err := exec.LookPath("ctxprop")
			if err != nil {
				return err
			}
			e.Setenv("CTXPROP", tool)
			for name, value := range env {
				e.Setenv(name, value)
			}
			for _, setting := range []string{"GOFLAGS=", "GOPROXY=off", "GOTOOLCHAIN=local", "GOWORK=", "GO111MODULE=",
				"GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
				"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com",
			} {
				name, value, _ := strings.Cut(setting, "=")
				e.Setenv(name, value)
			}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
	})
}

// exits CODE COMMAND ARGS… runs a command and wants that exit code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND ARGS…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

func goEnv(t *testing.T, names ...string) map[string]string {
	t.Helper()
	out, err := exec.Command("go", append([]string{"env"}, names...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	env := make(map[string]string)
	for i, value := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		env[names[i]] = strings.TrimSpace(value)
	}
	return env
}
