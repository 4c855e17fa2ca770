package fix

import (
	"cmp"
	"fmt"
	"go/token"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// edit is an edit by offsets.
type edit struct {
	start, end int
	text       string
}

// Apply returns the files, a map from the names in fset to contents, with the
// fixes applied as drivers do it: equal edits count once, and edits that
// overlap are an error. Like golangci-lint, and unlike go vet -fix, it does not
// remove imports that became unused.
func Apply(fset *token.FileSet, files map[string]string, fixes ...analysis.SuggestedFix) (map[string]string, error) {
	edits := make(map[string][]edit)
	for _, f := range fixes {
		for _, e := range f.TextEdits {
			tok := fset.File(e.Pos)
			end := e.End
			if !end.IsValid() {
				end = e.Pos
			}
			edits[tok.Name()] = append(edits[tok.Name()], edit{tok.Offset(e.Pos), tok.Offset(end), string(e.NewText)})
		}
	}
	fixed := maps.Clone(files)
	for name, es := range edits {
		text, err := applyTo(files[name], es)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		fixed[name] = text
	}
	return fixed, nil
}

func applyTo(text string, edits []edit) (string, error) {
	slices.SortStableFunc(edits, func(x, y edit) int {
		return cmp.Or(cmp.Compare(x.start, y.start), cmp.Compare(x.end, y.end))
	})
	edits = slices.Compact(edits)
	var out strings.Builder
	last := 0
	for _, e := range edits {
		if e.start < last || e.end > len(text) {
			return "", fmt.Errorf("the edit of %d-%d overlaps another one or leaves the file", e.start, e.end)
		}
		out.WriteString(text[last:e.start])
		out.WriteString(e.text)
		last = e.end
	}
	out.WriteString(text[last:])
	return out.String(), nil
}
