package git

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Changes is how the working tree differs from a commit. Files that git
// ignores are in neither.
type Changes struct {
	// Before has the files that the commit has and the tree has not, or has
	// otherwise: their absolute names in the tree, and where their contents are.
	Before map[string]string
	// Added has the absolute names of files that the commit has not.
	Added map[string]bool
	// Dirty: some of it is not committed.
	Dirty bool
}

// Modes of entries of a tree that are no plain files, as git prints them.
const (
	modeNone      = "000000"
	modeLink      = "120000"
	modeSubmodule = "160000"
)

// Changes compares the working tree, as it is on disk, with a commit, and
// writes the commit's contents of changed files below dir, which is empty.
func (r *Repository) Changes(ctx context.Context, commit, dir string) (*Changes, error) {
	c := &Changes{Before: map[string]string{}, Added: map[string]bool{}}
	return c, r.changes(ctx, commit, dir, c)
}

// entry is one line of git diff --raw: a path with its mode and object before,
// and its mode after.
type entry struct{ before, after, object, path string }

func (r *Repository) diff(ctx context.Context, commit string) ([]entry, error) {
	out, err := r.output(ctx, nil, nil, "diff", "--raw", "-z", "--no-renames", "--no-abbrev", "--no-ext-diff", "--ignore-submodules=none", commit, "--")
	if err != nil {
		return nil, err
	}
	var entries []entry
	fields := list(out) // alternately ":mode mode object object status" and path
	for i := 0; i+1 < len(fields); i += 2 {
		meta := strings.Fields(strings.TrimPrefix(fields[i], ":"))
		if len(meta) < 5 {
			return nil, fmt.Errorf("cannot read the output of git diff --raw: %q", fields[i])
		}
		entries = append(entries, entry{meta[0], meta[1], meta[2], fields[i+1]})
	}
	return entries, nil
}

func (r *Repository) changes(ctx context.Context, commit, dir string, c *Changes) error {
	entries, err := r.diff(ctx, commit)
	if err != nil {
		return err
	}
	var wanted []string
	for _, e := range entries {
		switch {
		case e.before == modeSubmodule || e.after == modeSubmodule:
			if err := r.submodule(ctx, e, dir, c); err != nil {
				return err
			}
		case e.before == modeLink || e.after == modeLink:
			// The go command follows no links to Go files in packages of
			// its own accord, and a link out of dir would lead nowhere.
		case e.before == modeNone:
			c.Added[r.abs(e.path)] = true
		default:
			wanted = append(wanted, e.path)
			c.Before[r.abs(e.path)] = filepath.Join(dir, filepath.FromSlash(e.path))
		}
	}
	if err := r.checkout(ctx, commit, dir, wanted); err != nil {
		return err
	}
	untracked, err := r.output(ctx, nil, nil, "ls-files", "-z", "--others", "--exclude-standard")
	if err != nil {
		return err
	}
	for _, path := range list(untracked) {
		if strings.HasSuffix(path, "/") {
			continue // a repository of its own, which is as it is for both
		}
		c.Added[r.abs(path)] = true
	}
	if len(entries) > 0 || len(untracked) > 0 {
		dirty, err := r.output(ctx, nil, nil, "status", "--porcelain", "-z")
		if err != nil {
			return err
		}
		c.Dirty = c.Dirty || len(dirty) > 0
	}
	return nil
}

// submodule compares a submodule with the commit that it was at.
func (r *Repository) submodule(ctx context.Context, e entry, dir string, c *Changes) error {
	path := r.abs(e.path)
	if _, err := os.Stat(filepath.Join(path, ".git")); err != nil {
		return nil // not checked out, so that the tree has none of its files
	}
	sub := &Repository{Top: path, env: outside(r.env)}
	if e.before != modeSubmodule {
		out, err := sub.output(ctx, nil, nil, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
		for _, name := range list(out) {
			c.Added[sub.abs(name)] = true
		}
		return err
	}
	if _, err := sub.line(ctx, "rev-parse", "--verify", "--quiet", e.object+"^{commit}"); err != nil {
		return refusal(err, fmt.Errorf("the submodule %s was at commit %s, which is not there; fetch it: git -C %s fetch origin %s", e.path, e.object, e.path, e.object))
	}
	return sub.changes(ctx, e.object, filepath.Join(dir, filepath.FromSlash(e.path)), c)
}

// outside removes what git sets for commands that it runs, such as hooks, and
// what is about one repository.
func outside(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains([]string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR"}, name)
	})
}

func (r *Repository) abs(path string) string { return filepath.Join(r.Top, filepath.FromSlash(path)) }

// checkout writes paths of a commit below dir, by way of an index there: the
// repository's own index, like everything else of it, may be out of bounds.
func (r *Repository) checkout(ctx context.Context, commit, dir string, paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	return r.checkoutIndex(ctx, commit, dir, []byte(strings.Join(paths, "\x00")+"\x00"), "--stdin", "-z")
}

// Checkout writes all files of a commit below dir, without submodules.
func (r *Repository) Checkout(ctx context.Context, commit, dir string) error {
	return r.checkoutIndex(ctx, commit, dir, nil, "--all")
}

func (r *Repository) checkoutIndex(ctx context.Context, commit, dir string, stdin []byte, which ...string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	index := filepath.Join(dir, ".git-index")
	defer os.Remove(index)
	env := []string{"GIT_INDEX_FILE=" + index}
	if _, err := r.output(ctx, nil, env, "read-tree", commit); err != nil {
		return err
	}
	args := append([]string{"checkout-index", "--quiet", "--force", "--prefix=" + filepath.ToSlash(dir) + "/"}, which...)
	_, err := r.output(ctx, stdin, env, args...)
	return err
}
