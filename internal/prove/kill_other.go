//go:build !unix

package prove

import (
	"os/exec"
	"time"
)

// endWithGroup ends the command with its context. What it started ends when it
// next writes to it.
func endWithGroup(cmd *exec.Cmd) { cmd.WaitDelay = 5 * time.Second }
