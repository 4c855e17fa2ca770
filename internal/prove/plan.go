package prove

import (
	"fmt"
	"go/token"
	"os"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/ctxprop/ctxprop/internal/finding"
	"github.com/ctxprop/ctxprop/internal/fix"
)

// Program is what the analysis of the program found.
type Program struct {
	Fset     *token.FileSet
	Findings []*finding.Finding
	// Asked reports whether a finding lies in the packages that the user named.
	// Those that they import matter as far as a scenario leads there.
	Asked func(*finding.Finding) bool
	// Path returns the functions that run when one of the handlers does, both
	// named as types.Func.FullName does.
	Path func(handlers []string) map[string]bool
	// RPC are the functions that some gRPC handler of the program runs.
	RPC map[string]bool
}

// Plan is which fixes are made.
type Plan struct {
	*Program
	Fixed   []*finding.Finding          // whose fixes are made
	refused map[*finding.Finding]string // why the fix of another is not
	read    map[string]string           // files as they are
}

// NewPlan takes the fixes of all findings, but of two that change the same text
// differently only the first.
func NewPlan(prog *Program) (*Plan, error) {
	p := &Plan{Program: prog, refused: make(map[*finding.Finding]string), read: make(map[string]string)}
	for _, f := range prog.Findings {
		if len(f.Fixes) == 0 {
			continue
		}
		if err := p.readFiles(f); err != nil {
			return nil, err
		}
		if _, err := p.apply(append(slices.Clip(p.Fixed), f)); err != nil {
			p.refused[f] = "its fix changes what another changes differently"
			continue
		}
		p.Fixed = append(p.Fixed, f)
	}
	return p, nil
}

func (p *Plan) readFiles(f *finding.Finding) error {
	for _, e := range f.Fixes[0].TextEdits {
		name := p.Fset.File(e.Pos).Name()
		if _, ok := p.read[name]; ok {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		p.read[name] = string(text)
	}
	return nil
}

// apply returns the files that the fixes of the findings change, as they are
// then.
func (p *Plan) apply(fs []*finding.Finding) (map[string]string, error) {
	var fixes []analysis.SuggestedFix
	for _, f := range fs {
		fixes = append(fixes, f.Fixes[0])
	}
	files, err := fix.Apply(p.Fset, p.read, fixes...)
	if err != nil {
		return nil, err
	}
	for name, text := range files {
		if text == p.read[name] {
			delete(files, name)
		}
	}
	return files, nil
}

// Files returns the changed files with all fixes but those of the findings that
// are left out.
func (p *Plan) Files(leftOut ...*finding.Finding) (map[string]string, error) {
	return p.apply(slices.DeleteFunc(slices.Clone(p.Fixed), func(f *finding.Finding) bool { return slices.Contains(leftOut, f) }))
}

// On returns the fixed findings on the path of a scenario: what its handlers
// run, and the retry policies of the connections that its services dial.
func (p *Plan) On(m *Measured) []*finding.Finding {
	path, dials := p.Path(m.Handlers), p.Path(m.Dialers)
	return slices.DeleteFunc(slices.Clone(p.Fixed), func(f *finding.Finding) bool {
		return !path[f.ID.Home] && !(ofConnection(f) && dials[f.ID.Home])
	})
}

// ofConnection reports whether the finding is about an option of a connection,
// whose home is the function that makes the option.
func ofConnection(f *finding.Finding) bool {
	switch f.ID.Code {
	case finding.HarmfulCodes, finding.IneffectivePolicy, finding.InvalidPolicy, finding.KnobTrap:
		return true
	}
	return false
}

// unmeasured is the verdict on a finding that no scenario measures, and why.
func (p *Plan) unmeasured(f *finding.Finding) (Verdict, string) {
	switch {
	case len(f.Fixes) == 0:
		return NoFix, "there is no safe fix; see its message"
	case p.refused[f] != "":
		return NoFix, p.refused[f]
	case ofConnection(f):
		return NotExercised, "the service of no scenario dials with it, by Deps.Next or Deps.Conn"
	case !p.RPC[f.ID.Home]:
		return NoScenario, "no gRPC method leads to it"
	}
	return NotExercised, fmt.Sprintf("no scenario calls %s", entriesText(f.Entries))
}

func entriesText(entries []string) string {
	switch len(entries) {
	case 0:
		return "a method that leads to it"
	case 1:
		return entries[0]
	}
	return fmt.Sprintf("%s or one of %d more", entries[0], len(entries)-1)
}

// Groups returns the fixed findings, those whose fixes share edits together:
// one of them alone cannot be left out.
func (p *Plan) Groups() [][]*finding.Finding {
	type edit struct{ from, to token.Pos }
	var groups [][]*finding.Finding
	group := make(map[edit]int)
	for _, f := range p.Fixed {
		at := len(groups)
		for _, e := range f.Fixes[0].TextEdits {
			if g, ok := group[edit{e.Pos, e.End}]; ok {
				at = g
			}
		}
		for _, e := range f.Fixes[0].TextEdits {
			group[edit{e.Pos, e.End}] = at
		}
		if at == len(groups) {
			groups = append(groups, nil)
		}
		groups[at] = append(groups[at], f)
	}
	return groups
}

// Left returns the findings in the fixed program that are none of those whose
// fix was not made. They are told apart by what survives a change of the code.
func (p *Plan) Left(fixed *Program) []*finding.Finding {
	kind := func(f *finding.Finding) finding.Identity {
		id := f.ID
		id.Ordinal = 0 // its equals may have gone
		return id
	}
	unfixed := make(map[finding.Identity]int)
	for _, f := range p.Findings {
		if !slices.Contains(p.Fixed, f) {
			unfixed[kind(f)]++
		}
	}
	var left []*finding.Finding
	for _, f := range fixed.Findings {
		if unfixed[kind(f)]--; unfixed[kind(f)] < 0 {
			left = append(left, f)
		}
	}
	return left
}
