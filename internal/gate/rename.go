package gate

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ctxprop/ctxprop/internal/finding"
)

// alike is from which similarity on a function that is gone and one that is new
// are taken for one that was renamed or moved. Git calls files renamed from one
// half on; a function is small, and two that call the same thing share much.
const alike = 0.6

// telling is how many tokens a function needs, about eight lines, for its body
// alone to tell it from others. A shorter one that moved to another package must
// have kept its name: wrappers around one call all look the same.
const telling = 60

// matchRenamed pairs findings whose home, or sink, has another name: the old
// name is declared no more, the new one was not before, and the homes' bodies
// are alike. The best pairs come first.
func matchRenamed(before, after *Revision, old, now []*finding.Finding) (pairs []pair, gone, added []*finding.Finding) {
	if after.Body == nil || len(old) == 0 || len(now) == 0 {
		return nil, old, now
	}
	type candidate struct {
		pair
		score float64 // more than one for a line with the same text
	}
	var candidates []candidate
	for _, o := range old {
		for _, f := range now {
			if score := likeness(before, after, o, f); score >= alike {
				if sameLine(before, after, o, f) {
					score++
				}
				candidates = append(candidates, candidate{pair{o, f}, score})
			}
		}
	}
	slices.SortStableFunc(candidates, func(a, b candidate) int {
		return cmp.Or(
			-cmp.Compare(a.score, b.score),
			strings.Compare(a.before.ID.String(), b.before.ID.String()),
			strings.Compare(a.after.ID.String(), b.after.ID.String()),
		)
	})
	used := map[*finding.Finding]bool{}
	for _, c := range candidates {
		if !used[c.before] && !used[c.after] {
			used[c.before], used[c.after] = true, true
			pairs = append(pairs, c.pair)
		}
	}
	isUsed := func(f *finding.Finding) bool { return used[f] }
	return pairs, slices.DeleteFunc(slices.Clone(old), isUsed), slices.DeleteFunc(slices.Clone(now), isUsed)
}

// likeness is how much speaks for it that o became f, from 0 to 1.
func likeness(before, after *Revision, o, f *finding.Finding) float64 {
	if o.ID.Code != f.ID.Code || o.ID.Sink != f.ID.Sink && !replaced(before, after, o.ID.Sink, f.ID.Sink) {
		return 0
	}
	if o.ID.Home == f.ID.Home {
		return 1 // only the sink has a new name
	}
	if !replaced(before, after, o.ID.Home, f.ID.Home) {
		return 0
	}
	sameName := shortName(o.ID.Home) == shortName(f.ID.Home)
	if before.Body == nil {
		// A list of known findings has no bodies: a function that was moved
		// to another package or another type still has its name.
		if sameName {
			return 1
		}
		return 0
	}
	was, _ := before.Body(o.ID.Home)
	is, _ := after.Body(f.ID.Home)
	if !sameName && packageOf(o.ID.Home) != packageOf(f.ID.Home) && min(len(was), len(is)) < telling {
		return 0
	}
	return similarity(was, is)
}

// replaced reports whether the function old is gone, and now is new.
func replaced(before, after *Revision, old, now string) bool {
	if _, still := after.Body(old); still {
		return false
	}
	if _, declared := after.Body(now); !declared {
		return false
	}
	if before.Body == nil {
		return true
	}
	_, declared := before.Body(old)
	_, already := before.Body(now)
	return declared && !already
}

func shortName(key string) string { return key[strings.LastIndex(key, ".")+1:] }

// packageOf is the import path in a key: path.F, (path.T).M or (*path.T).M.
func packageOf(key string) string {
	key = strings.TrimLeft(key, "(*")
	slash := strings.LastIndex(key, "/") + 1
	path, _, _ := strings.Cut(key[slash:], ".")
	return key[:slash] + path
}

// similarity is the share of pairs of neighbouring tokens that two bodies have
// in common (the Dice coefficient), from 0 to 1.
func similarity(a, b []string) float64 {
	if len(a) < 2 || len(b) < 2 {
		return 0
	}
	type neighbours [2]string
	left := map[neighbours]int{}
	for i := range a[1:] {
		left[neighbours{a[i], a[i+1]}]++
	}
	common := 0
	for i := range b[1:] {
		if n := (neighbours{b[i], b[i+1]}); left[n] > 0 {
			left[n]--
			common++
		}
	}
	return 2 * float64(common) / float64(len(a)-1+len(b)-1)
}
