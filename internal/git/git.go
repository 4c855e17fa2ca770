// Package git reads a revision of the repository that a directory belongs to,
// and what the working tree has that it does not. It changes neither the tree
// nor the repository, so that it works where both are read-only.
package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

// Repository is a repository with a working tree.
type Repository struct {
	Top string // the root of the working tree, absolute, links resolved
	env []string
}

// Open finds the repository of dir, whose links are resolved. The environment
// is that of the process; what git says is asked for in English.
func Open(ctx context.Context, env []string, dir string) (*Repository, error) {
	r := &Repository{Top: dir, env: append(env[:len(env):len(env)], "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0")}
	top, err := r.line(ctx, "rev-parse", "--show-toplevel")
	switch failed, _ := errors.AsType[*Error](err); {
	case failed == nil:
	case strings.Contains(failed.Text, "not a git repository"):
		return nil, fmt.Errorf("%s is in no git repository", dir)
	case strings.Contains(failed.Text, "must be run in a work tree"):
		return nil, fmt.Errorf("%s is in a bare git repository, which has no files to analyse: run in a clone of it, git clone %s", dir, dir)
	}
	if err != nil {
		return nil, err
	}
	r.Top = filepath.FromSlash(top)
	return r, nil
}

// Error is a git command that failed, with what it said.
type Error struct {
	Command string // such as "git diff"
	Text    string // one line, without "fatal: "
}

func (e *Error) Error() string { return fmt.Sprintf("%s: %s", e.Command, e.Text) }

// output runs git at the root of the working tree.
func (r *Repository) output(ctx context.Context, stdin []byte, env []string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir, cmd.Env, cmd.Stdin = r.Top, append(r.env[:len(r.env):len(r.env)], env...), bytes.NewReader(stdin)
	out, err := cmd.Output()
	if err == nil {
		return out, nil
	}
	if errors.Is(err, exec.ErrNotFound) {
		return nil, errors.New("no git command in PATH; install git, or add its directory to PATH")
	}
	failed := &Error{Command: "git " + args[0], Text: err.Error()}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && len(bytes.TrimSpace(exit.Stderr)) > 0 {
		failed.Text = oneLine(string(exit.Stderr))
	}
	return nil, failed
}

// oneLine keeps the whole of what git said: it ends with the mend if git knows
// one, as for a repository that another user owns.
func oneLine(stderr string) string {
	text := strings.Join(strings.Fields(stderr), " ")
	return strings.TrimPrefix(strings.TrimPrefix(text, "fatal: "), "error: ")
}

func (r *Repository) line(ctx context.Context, args ...string) (string, error) {
	out, err := r.output(ctx, nil, nil, args...)
	return strings.TrimSuffix(string(out), "\n"), err
}

// list splits output of -z.
func list(out []byte) []string {
	return strings.FieldsFunc(string(out), func(c rune) bool { return c == 0 })
}
