package gate

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ctxprop/ctxprop/internal/finding"
	"github.com/ctxprop/ctxprop/internal/link"
)

// newEntries returns the entry points that reach a known finding now and did
// not before. An entry point that was renamed is none: it is one name in the
// place of another, at exactly the same findings.
func newEntries(pairs []pair) map[*finding.Finding][]string {
	before, after := map[string][]int{}, map[string][]int{}
	for i, p := range pairs {
		for _, e := range p.before.Entries {
			before[e] = append(before[e], i)
		}
		for _, e := range p.after.Entries {
			after[e] = append(after[e], i)
		}
	}
	renamed := renamedEntries(before, after)
	further := map[*finding.Finding][]string{}
	for _, p := range pairs {
		if len(p.before.Entries) >= link.MaxEntries {
			continue // there may have been more of them
		}
		for _, e := range p.after.Entries {
			if !slices.Contains(p.before.Entries, e) && !renamed[e] {
				further[p.after] = append(further[p.after], e)
			}
		}
	}
	return further
}

// renamedEntries returns the names that took the place of one other name. The
// maps have the findings of each name.
func renamedEntries(before, after map[string][]int) map[string]bool {
	gone := soleNames(before, after)
	came := soleNames(after, before)
	renamed := map[string]bool{}
	for at, name := range came {
		if name != "" && gone[at] != "" {
			renamed[name] = true
		}
	}
	return renamed
}

// soleNames returns, by the findings that they are at, the names that only the
// first map has; "" where there are several.
func soleNames(names, others map[string][]int) map[string]string {
	sole := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if others[name] != nil {
			continue
		}
		at := positions(names[name])
		if _, taken := sole[at]; taken {
			name = ""
		}
		sole[at] = name
	}
	return sole
}

func positions(at []int) string {
	var b strings.Builder
	for _, i := range at {
		b.WriteString(strconv.Itoa(i) + ",")
	}
	return b.String()
}
