//go:build unix

package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/tools/txtar"
)

const endless = `
-- go.mod --
module example.com/app

go 1.26

require github.com/ctxprop/ctxprop/runtime v0.0.0

replace github.com/ctxprop/ctxprop/runtime => ./runtime
-- runtime/go.mod --
module github.com/ctxprop/ctxprop/runtime

go 1.26
-- runtime/saturate/saturate.go --
package saturate

import (
	"os"
	"testing"
)

// Test tells the reader of a pipe that it runs, and does not end.
func Test(*testing.T) {
	pipe, err := os.OpenFile(os.Getenv("PIPE"), os.O_WRONLY, 0)
	if err != nil {
		panic(err)
	}
	pipe.WriteString("x")
	select {}
}
-- app.go --
package app

import (
	"context"
	"net/http"
)

type Remote interface{ Call(ctx context.Context) error }

func Handler(rem Remote) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { _ = rem.Call(context.Background()) }
}
-- app_test.go --
package app

import (
	"testing"

	"github.com/ctxprop/ctxprop/runtime/saturate"
)

func TestEndless(t *testing.T) { saturate.Test(t) }
`

// TestProveInterrupted interrupts prove while a test runs. The test must end
// too, which closes its end of the pipe; the tree and the folder for temporary
// files must be as before.
func TestProveInterrupted(t *testing.T) {
	dir, temp := t.TempDir(), t.TempDir()
	archive := txtar.Parse([]byte(endless))
	for _, f := range archive.Files {
		name := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("ctxprop", "prove", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=", "TMPDIR="+temp, "PIPE="+pipe)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	exited := make(chan error, 1)
	go func() {
		exited <- cmd.Wait()
		// If it never came to the test, nobody else opens the pipe.
		if w, err := os.OpenFile(pipe, os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
			w.Close()
		}
	}()
	r, err := os.Open(pipe) // blocks until the test has opened it
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := io.ReadFull(r, make([]byte, 1)); err != nil {
		t.Fatalf("the test did not begin: %v\n%s%s", err, &stdout, &stderr)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := <-exited; err == nil || cmd.ProcessState.ExitCode() != 1 || stdout.Len() > 0 || stderr.String() != "ctxprop: interrupted; nothing was changed\n" {
		t.Errorf("%v\nstdout %q\nstderr %q", err, &stdout, &stderr)
	}
	if _, err := io.Copy(io.Discard, r); err != nil { // ends when the test has ended
		t.Error(err)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left in the folder for temporary files: %v, %v", left, err)
	}
	for _, f := range archive.Files {
		if got, err := os.ReadFile(filepath.Join(dir, f.Name)); err != nil || !bytes.Equal(got, f.Data) {
			t.Errorf("%s was changed: %v", f.Name, err)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 4 {
		t.Errorf("the tree has %v, %v", entries, err)
	}
}
