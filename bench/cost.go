package main

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// cost is what one run took, its child processes included.
type cost struct {
	user, wall time.Duration
	peak       int64 // bytes; of the largest process, for the kernel keeps no sum
}

// spend runs a command line. Findings are no error, whatever exit status the
// tool has for them; a run that did not get as far as looking for any is one,
// for it would look cheap.
func spend(ctx context.Context, dir string, env, args []string) (cost, error) {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir, cmd.Env = dir, env
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	start := time.Now()
	err := cmd.Run()
	wall := time.Since(start)
	if cmd.ProcessState == nil {
		return cost{}, err
	}
	if broken(cmd.ProcessState.ExitCode(), args[0] == "go") {
		return cost{}, fmt.Errorf("%v: %w\n%s", args, err, tail(stderr.Bytes()))
	}
	return cost{user: cmd.ProcessState.UserTime(), wall: wall, peak: peak(cmd.ProcessState.SysUsage().(*syscall.Rusage))}, nil
}

// broken reports whether an exit status says that the tool failed. The go
// command passes findings on as 1; drivers of x/tools, as ctxprop, end with 3
// on findings and keep 1 for failures.
func broken(status int, goCommand bool) bool {
	switch {
	case status == 0:
		return false
	case goCommand:
		return status != 1
	default:
		return status != 3
	}
}

// peak returns the resident set's maximum in bytes. Linux and the BSDs count it
// in KiB, macOS in bytes (getrusage(2)).
func peak(usage *syscall.Rusage) int64 {
	if runtime.GOOS == "darwin" {
		return int64(usage.Maxrss)
	}
	return int64(usage.Maxrss) << 10
}

// tail keeps an error message readable.
func tail(text []byte) []byte { return text[max(0, len(text)-2000):] }
