package fix

import (
	"cmp"
	"fmt"
	"slices"

	"golang.org/x/tools/go/analysis"
)

// Fix returns the fix. From the first call on, the Builder takes no further
// replacements.
//
// If this replacement and others of the file are together the last uses of an
// import, the fix carries the edits of all of them and the removal of the
// import; its message says so.
func (r *Replacement) Fix() analysis.SuggestedFix {
	r.b.sealed = true
	linked, edits := r.plan.link(r)
	for _, other := range linked {
		edits = append(edits, analysis.TextEdit{
			Pos:     other.span.pos,
			End:     other.span.end,
			NewText: []byte(other.text),
		})
	}
	slices.SortFunc(edits, func(x, y analysis.TextEdit) int { return cmp.Compare(x.Pos, y.Pos) })
	return analysis.SuggestedFix{Message: r.message(len(linked) - 1), TextEdits: edits}
}

func (r *Replacement) message(others int) string {
	message := "Use " + r.use.String()
	if r.text == "" {
		message = "Keep " + r.use.String() + " instead of a fresh context"
	}
	switch others {
	case 0:
		return message
	case 1:
		return message + ", and replace the file's other fresh context too"
	}
	return fmt.Sprintf("%s, and replace the file's other %d fresh contexts too", message, others)
}

// link returns the replacements that have to be made together with r, r among
// them, and the removals of the imports that they leave unused. An import whose
// uses all vanish links the replacements in which they do. So two fixes carry
// the same edits, or have no vanishing import in common, and any subset of the
// fixes removes an import exactly if it removes all of its uses.
func (p *plan) link(r *Replacement) (linked []*Replacement, removals []analysis.TextEdit) {
	linked = []*Replacement{r}
	seen := make(map[*importSpec]bool)
	for i := 0; i < len(linked); i++ { // linked grows
		for _, im := range p.imports {
			if seen[im] || im.usedIn(linked[i].span) == 0 {
				continue
			}
			seen[im] = true
			users, last := p.users(im)
			if !last {
				continue
			}
			for _, user := range users {
				if !slices.Contains(linked, user) {
					linked = append(linked, user)
				}
			}
			if s, err := im.removal(p.lines); err == nil { // as canDropImports found
				removals = append(removals, analysis.TextEdit{Pos: s.pos, End: s.end})
			}
		}
	}
	return linked, removals
}

// users returns the replacements in which uses of the import vanish, and
// whether no use is left outside them.
func (p *plan) users(im *importSpec) (users []*Replacement, last bool) {
	gone := 0
	for _, r := range p.replacements {
		if n := im.usedIn(r.span); n > 0 {
			users = append(users, r)
			gone += n
		}
	}
	return users, gone == len(im.uses)
}

// canDropImports returns an error if an import that is used in the range could
// not be removed, should the need arise. Asking before it is known whether the
// need arises keeps an odd layout from breaking up linked fixes.
func (p *plan) canDropImports(s span) error {
	for _, im := range p.imports {
		if im.usedIn(s) > 0 {
			if _, err := im.removal(p.lines); err != nil {
				return err
			}
		}
	}
	return nil
}
