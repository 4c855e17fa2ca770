// Package gate tells which findings of a program are new. It compares them with
// those of an older revision, or with a list of known ones in a file, by what
// they are and not by where they are: moved lines, renamed files and new
// formatting change nothing.
package gate

import (
	"cmp"
	"slices"

	"github.com/ctxprop/ctxprop/internal/finding"
)

// Revision is what a comparison knows of one side.
type Revision struct {
	Findings []*finding.Finding
	// Line returns the source line that a finding is reported at, or "".
	Line func(*finding.Finding) string
	// Body returns the tokens of a declared function, by its key, but for its
	// name; ok says that the revision declares it.
	Body func(key string) (tokens []string, ok bool)
}

// Outcome is what became of the findings.
type Outcome struct {
	New   map[*finding.Finding]bool
	Wider map[*finding.Finding][]string // known ones, with the entry points that did not reach them before
	Fixed []*finding.Finding            // of the older revision, without a counterpart
}

// pair is a finding of each side that are taken for the same.
type pair struct{ before, after *finding.Finding }

// kind is an identity without the ordinal, which changes with the number of
// findings before it.
type kind struct {
	code       finding.Code
	home, sink string
}

func kindOf(f *finding.Finding) kind { return kind{f.ID.Code, f.ID.Home, f.ID.Sink} }

// Compare matches the findings of two revisions. A known finding counts as new
// if its severity has risen to least or above: nobody was shown it before.
func Compare(before, after *Revision, least finding.Severity) *Outcome {
	pairs, gone, added := matchKinds(before, after)
	renamed, gone, added := matchRenamed(before, after, gone, added)
	pairs = append(pairs, renamed...)
	out := &Outcome{New: map[*finding.Finding]bool{}, Wider: newEntries(pairs), Fixed: gone}
	for _, f := range added {
		out.New[f] = true
	}
	for _, p := range pairs {
		if p.before.Severity < least && p.after.Severity >= least {
			out.New[p.after] = true
		}
	}
	return out
}

// Either takes for known what one of two comparisons does. It says nothing of
// what is fixed.
func Either(a, b *Outcome) *Outcome {
	out := &Outcome{New: map[*finding.Finding]bool{}, Wider: map[*finding.Finding][]string{}}
	for f := range a.New {
		if b.New[f] {
			out.New[f] = true
		} else {
			out.Wider[f] = b.Wider[f]
		}
	}
	for f, entries := range a.Wider {
		if !b.New[f] {
			entries = slices.DeleteFunc(slices.Clone(entries), func(e string) bool { return !slices.Contains(b.Wider[f], e) })
		}
		out.Wider[f] = entries
	}
	return out
}

// matchKinds pairs findings of the same kind, as many as there are on both
// sides. Among several, those on lines with the same text belong together.
func matchKinds(before, after *Revision) (pairs []pair, gone, added []*finding.Finding) {
	old := map[kind][]*finding.Finding{}
	for _, f := range inOrder(before.Findings) {
		old[kindOf(f)] = append(old[kindOf(f)], f)
	}
	var kinds []kind
	now := map[kind][]*finding.Finding{}
	for _, f := range inOrder(after.Findings) {
		k := kindOf(f)
		if now[k] == nil {
			kinds = append(kinds, k)
		}
		now[k] = append(now[k], f)
	}
	for _, k := range kinds {
		same, oldRest, nowRest := matchLines(before, after, old[k], now[k])
		n := min(len(oldRest), len(nowRest))
		for i := range n {
			same = append(same, pair{oldRest[i], nowRest[i]})
		}
		pairs = append(pairs, same...)
		added = append(added, nowRest[n:]...)
		old[k] = oldRest[n:]
	}
	for _, f := range before.Findings {
		if slices.Contains(old[kindOf(f)], f) {
			gone = append(gone, f)
		}
	}
	return pairs, gone, added
}

// matchLines pairs findings on lines with the same text, in order.
func matchLines(before, after *Revision, old, now []*finding.Finding) (pairs []pair, oldRest, nowRest []*finding.Finding) {
	oldRest = slices.Clone(old)
	for _, f := range now {
		i := -1
		if len(old) != 1 || len(now) != 1 { // else there is no choice
			i = slices.IndexFunc(oldRest, func(o *finding.Finding) bool { return sameLine(before, after, o, f) })
		}
		if i < 0 {
			nowRest = append(nowRest, f)
			continue
		}
		pairs = append(pairs, pair{oldRest[i], f})
		oldRest = slices.Delete(oldRest, i, i+1)
	}
	return pairs, oldRest, nowRest
}

// sameLine reports whether two findings are reported at lines with one text.
func sameLine(before, after *Revision, o, f *finding.Finding) bool {
	if before.Line == nil || after.Line == nil {
		return false
	}
	text := after.Line(f)
	return text != "" && before.Line(o) == text
}

func inOrder(fs []*finding.Finding) []*finding.Finding {
	return slices.SortedStableFunc(slices.Values(fs), func(a, b *finding.Finding) int {
		return cmp.Compare(a.ID.Ordinal, b.ID.Ordinal)
	})
}
