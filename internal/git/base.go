package git

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Base is the commit to compare the working tree with.
type Base struct {
	Commit string // full hash
	Rev    string // as it was asked for
	Merge  bool   // it is where HEAD left the history of Rev, which has moved on
	Others int    // further merge bases that would have done as well
}

// Short is a hash for people.
func (b *Base) Short() string { return b.Commit[:min(len(b.Commit), 10)] }

func (b *Base) String() string {
	if b.Merge {
		return fmt.Sprintf("%s, the merge base of %s and HEAD", b.Short(), b.Rev)
	}
	return b.Rev + ", " + b.Short()
}

// Base finds the commit that rev names, or with merge the one where HEAD left
// its history.
func (r *Repository) Base(ctx context.Context, rev string, merge bool) (*Base, error) {
	if strings.HasPrefix(rev, "-") || rev == "" {
		return nil, fmt.Errorf("%q is no revision: name a branch, a tag or a commit, such as origin/main", rev)
	}
	shallow, err := r.line(ctx, "rev-parse", "--is-shallow-repository")
	if err != nil {
		return nil, err
	}
	if _, err := r.line(ctx, "rev-parse", "--verify", "--quiet", "HEAD^{commit}"); err != nil {
		return nil, refusal(err, errors.New("the repository has no commits, so there is nothing to compare with"))
	}
	commit, err := r.line(ctx, "rev-parse", "--verify", "--quiet", rev+"^{commit}")
	if err != nil {
		return nil, refusal(err, r.unknown(ctx, rev, shallow == "true"))
	}
	b := &Base{Commit: commit, Rev: rev}
	if !merge {
		return b, nil
	}
	out, err := r.line(ctx, "merge-base", "--all", commit, "HEAD")
	if err != nil {
		return nil, refusal(err, unrelated(rev, shallow == "true"))
	}
	bases := strings.Fields(out)
	b.Merge, b.Commit, b.Others = bases[0] != commit, bases[0], len(bases)-1
	return b, nil
}

// refusal is what a command meant that failed without a word, or its own error.
func refusal(err, meant error) error {
	if failed, ok := errors.AsType[*Error](err); ok && strings.HasPrefix(failed.Text, "exit status 1") {
		return meant
	}
	return err
}

// unknown explains why a revision is not there, and how to come by it.
func (r *Repository) unknown(ctx context.Context, rev string, shallow bool) error {
	err := fmt.Errorf("the repository has no revision %s", rev)
	remotes, _ := r.line(ctx, "remote") // none is an answer as well
	for remote := range strings.FieldsSeq(remotes) {
		if branch, ok := strings.CutPrefix(rev, remote+"/"); ok {
			return fmt.Errorf("%v; fetch it: git fetch %s +refs/heads/%s:refs/remotes/%s%s", err, remote, branch, rev, unshallow(shallow))
		}
	}
	switch {
	case shallow && isRelative(rev):
		return fmt.Errorf("%v, because this clone is shallow; fetch more of it: git fetch --deepen=1 (in actions/checkout: fetch-depth: 2)", err)
	case shallow:
		return fmt.Errorf("%v in this shallow clone; fetch it: git fetch origin %s --unshallow (in actions/checkout: fetch-depth: 0)", err, rev)
	case remotes != "":
		return fmt.Errorf("%v; fetch it: git fetch origin %s", err, rev)
	}
	return err
}

// isRelative reports whether rev counts from a commit that is there.
func isRelative(rev string) bool { return strings.ContainsAny(rev, "^~") }

func unshallow(shallow bool) string {
	if shallow {
		return " --unshallow (in actions/checkout: fetch-depth: 0)"
	}
	return ""
}

func unrelated(rev string, shallow bool) error {
	if shallow {
		return fmt.Errorf("this shallow clone does not reach back to where HEAD left %s; fetch all of it: git fetch --unshallow (in actions/checkout: fetch-depth: 0), or compare with %s itself: -merge-base=false", rev, rev)
	}
	return fmt.Errorf("%s and HEAD have no common history; compare with %s itself: -merge-base=false", rev, rev)
}
