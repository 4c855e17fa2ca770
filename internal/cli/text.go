package cli

import (
	"fmt"
	"go/token"
	"io"

	"github.com/ctxprop/ctxprop/internal/finding"
)

// writeText prints a finding as go vet and staticcheck do, on a line that
// editors and problem matchers understand, and below it the way from the
// entry point to the blocking call, indented. The severity is not printed:
// what is shown at all has passed -severity, and the message ends with its
// code.
func writeText(w io.Writer, r *report) error {
	for _, f := range r.findings {
		if _, err := fmt.Fprintf(w, "%s: %s\n", positionText(f.Position, r.dir), f.Message); err != nil {
			return err
		}
		for _, s := range f.Witness {
			if _, err := fmt.Fprintf(w, "\t%s\n", stepText(s, r.dir)); err != nil {
				return err
			}
		}
	}
	return nil
}

// positionText is file:line:col with the file seen from dir.
func positionText(pos token.Position, dir string) string {
	if pos.Filename != "" {
		pos.Filename = relative(pos.Filename, dir)
	}
	return pos.String()
}

// stepText is a hop of a witness: where, in which function, what.
func stepText(s finding.Step, dir string) string {
	text := s.Func
	if s.Note != "" {
		text += ": " + s.Note
	}
	if s.Pos.IsValid() {
		at := s.Pos
		at.Column = 0 // the line is enough to find it, and easier to read
		text = positionText(at, dir) + ": " + text
	}
	return text
}
