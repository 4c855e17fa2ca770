//go:build unix

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// TestGateInterrupted interrupts gate while the go command, here one that does
// not end, looks at the base: the folder for temporary files, which has files of
// the base by then, must be as before, and so must the repository.
func TestGateInterrupted(t *testing.T) {
	repo, _, topic, _ := host(t)
	git(t, repo, "checkout", "-q", topic)
	goCommand, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	bin, temp := t.TempDir(), t.TempDir()
	pipe := filepath.Join(bin, "pipe")
	for _, name := range []string{pipe, pipe + ".never"} {
		if err := syscall.Mkfifo(name, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	script := fmt.Sprintf("#!/bin/sh\nfor arg; do case $arg in -overlay=*) ls %s > %s; exec cat %s.never;; esac; done\nexec %s \"$@\"\n", temp, pipe, pipe, goCommand)
	if err := os.WriteFile(filepath.Join(bin, "go"), []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	before := git(t, repo, "status", "--porcelain", "--ignored")
	cmd := exec.Command("ctxprop", "gate", "-base", "main", "-o", "markdown=comment.md", "./...")
	cmd.Dir = repo
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=", "TMPDIR="+temp, "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	exited := make(chan error, 1)
	go func() {
		exited <- cmd.Wait()
		// If it never came to the base, nobody else opens the pipe.
		if w, err := os.OpenFile(pipe, os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
			w.Close()
		}
	}()
	r, err := os.Open(pipe) // blocks until the go command has opened it
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if held, err := io.ReadAll(r); err != nil || !bytes.Contains(held, []byte("ctxprop-gate-")) {
		t.Fatalf("the folder for temporary files had %q, %v\n%s%s", held, err, &stdout, &stderr)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := <-exited; err == nil || cmd.ProcessState.ExitCode() != 1 || stdout.Len() > 0 || stderr.String() != "ctxprop: interrupted; nothing was changed\n" {
		t.Errorf("%v\nstdout %q\nstderr %q", err, &stdout, &stderr)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left in the folder for temporary files: %v, %v", left, err)
	}
	if after := git(t, repo, "status", "--porcelain", "--ignored"); after != before {
		t.Errorf("the tree had %q and has %q", before, after)
	}
}
