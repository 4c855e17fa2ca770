//go:build unix

package prove

import (
	"os/exec"
	"syscall"
	"time"
)

// endWithGroup makes the end of the command's context the end of all that it
// started: the go command does not pass a signal on to the test that it runs.
func endWithGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
}
