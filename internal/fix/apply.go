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

// Edit replaces the bytes of a file from Start up to End, not including it.
type Edit struct {
	File       string // as the file set names it
	Start, End int
	Text       string
}

// Edits are the edits of fixes by offsets.
func Edits(fset *token.FileSet, edits ...analysis.TextEdit) []Edit {
	var out []Edit
	for _, e := range edits {
		tok := fset.File(e.Pos)
		end := e.End
		if !end.IsValid() {
			end = e.Pos
		}
		out = append(out, Edit{tok.Name(), tok.Offset(e.Pos), tok.Offset(end), string(e.NewText)})
	}
	return out
}

// Apply returns the files, a map from the names in fset to contents, with the
// fixes applied as drivers do it: equal edits count once, and edits that
// overlap are an error. Like golangci-lint, and unlike go vet -fix, it does not
// remove imports that became unused.
func Apply(fset *token.FileSet, files map[string]string, fixes ...analysis.SuggestedFix) (map[string]string, error) {
	var edits []Edit
	for _, f := range fixes {
		edits = append(edits, Edits(fset, f.TextEdits...)...)
	}
	return ApplyEdits(files, edits)
}

// ApplyEdits is [Apply] for edits by offsets.
func ApplyEdits(files map[string]string, edits []Edit) (map[string]string, error) {
	byFile := make(map[string][]Edit)
	for _, e := range edits {
		byFile[e.File] = append(byFile[e.File], e)
	}
	fixed := maps.Clone(files)
	for name, es := range byFile {
		text, err := applyTo(files[name], es)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		fixed[name] = text
	}
	return fixed, nil
}

func applyTo(text string, edits []Edit) (string, error) {
	slices.SortStableFunc(edits, func(x, y Edit) int {
		return cmp.Or(cmp.Compare(x.Start, y.Start), cmp.Compare(x.End, y.End), cmp.Compare(x.Text, y.Text))
	})
	edits = slices.Compact(edits)
	var out strings.Builder
	last := 0
	for _, e := range edits {
		if e.Start < last || e.End > len(text) {
			return "", fmt.Errorf("the edit of %d-%d overlaps another one or leaves the file", e.Start, e.End)
		}
		out.WriteString(text[last:e.Start])
		out.WriteString(e.Text)
		last = e.End
	}
	out.WriteString(text[last:])
	return out.String(), nil
}
