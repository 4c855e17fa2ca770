package finding

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/token"
	"slices"

	"golang.org/x/tools/go/analysis"
)

// Identity names a finding across drivers and revisions: it holds no position,
// so that moved lines, renamed files and reformatting leave it alone.
type Identity struct {
	Code    Code   `json:"code"`
	Home    string `json:"home"`    // the function where the loss is made, as types.Func.FullName prints it
	Sink    string `json:"sink"`    // the blocking function that the loss reaches, likewise
	Ordinal int    `json:"ordinal"` // among findings that are equal so far, in source order from 0
}

func (id Identity) String() string {
	return fmt.Sprintf("%s %s -> %s #%d", id.Code, id.Home, id.Sink, id.Ordinal)
}

// Fingerprint is a short hash of the identity.
func (id Identity) Fingerprint() string {
	sum := sha256.Sum256([]byte(id.String()))
	return hex.EncodeToString(sum[:12])
}

// Step is one hop of a witness: the path from an entry point over the home to the sink.
type Step struct {
	Func string         `json:"func"`          // short name, such as (*Store).Get or http.Get
	Pos  token.Position `json:"pos,omitzero"`  // where the hop happens, if it is in loaded code
	Note string         `json:"note,omitzero"` // what happens here, such as "context.Background()"
}

// Finding is one report, before a driver renders it.
type Finding struct {
	ID       Identity
	Grade    Grade
	Severity Severity
	Pos, End token.Pos // in the files of the pass
	// Position and EndPosition are Pos and End resolved; the command may move them to another package's file.
	Position    token.Position
	EndPosition token.Position
	Message     string // stands alone and ends with the code in parentheses
	Entries     []string
	Witness     []Step
	Fixes       []analysis.SuggestedFix // at most one
	// Final: the pass knows all there is to know, as it does of a text; other
	// findings are made anew of the program's view where there is one.
	Final bool
}

// Diagnostic renders the finding for a driver of go/analysis.
func (f *Finding) Diagnostic() analysis.Diagnostic {
	return analysis.Diagnostic{
		Pos:            f.Pos,
		End:            f.End,
		Category:       string(f.ID.Code),
		Message:        f.Message,
		URL:            f.ID.Code.URL(),
		SuggestedFixes: f.Fixes,
	}
}

// Sort orders findings by file, line, column, code and home.
func Sort(fs []*Finding) {
	slices.SortStableFunc(fs, func(a, b *Finding) int {
		return cmp.Or(
			cmp.Compare(a.Position.Filename, b.Position.Filename),
			cmp.Compare(a.Position.Line, b.Position.Line),
			cmp.Compare(a.Position.Column, b.Position.Column),
			cmp.Compare(a.ID.Code, b.ID.Code),
			cmp.Compare(a.ID.Home, b.ID.Home),
			cmp.Compare(a.ID.Sink, b.ID.Sink),
			cmp.Compare(a.ID.Ordinal, b.ID.Ordinal),
		)
	})
}
