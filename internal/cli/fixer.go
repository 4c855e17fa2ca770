package cli

import (
	"cmp"
	"context"
	"fmt"
	goformat "go/format"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/ctxprop/ctxprop/internal/ctxflow"
	"github.com/ctxprop/ctxprop/internal/finding"
	"github.com/ctxprop/ctxprop/internal/fix"
	"github.com/ctxprop/ctxprop/internal/link"
	"github.com/ctxprop/ctxprop/internal/prove"
	"github.com/ctxprop/ctxprop/internal/rewrite"
	"github.com/ctxprop/ctxprop/internal/thread"
)

// fixer plans one run of fix.
type fixer struct {
	*process
	o        *fixOptions
	goEnv    *goEnv
	temp     string
	overlays int
	progress *progress

	prog    *program
	old     map[string]string // files as they are
	mine    map[string]bool   // names of files that may be changed
	results []*fixResult
}

// fixResult is what becomes of a finding.
type fixResult struct {
	finding *finding.Finding
	edits   []fix.Edit // what would mend it; nil if there is nothing
	chain   *thread.Chain
	reason  string // why it is not mended, or ""
}

func (u *fixResult) fixed() bool { return u.edits != nil && u.reason == "" }

// maxRounds bounds how often what would be written is analysed. Each round
// but the last takes something back; what is then still wrong takes back all.
const maxRounds = 6

func (f *fixer) run(ctx context.Context) (*fixReport, error) {
	f.progress.stage("loading and analysing")
	prog, err := f.load(ctx, &f.o.options, f.goEnv)
	if err != nil {
		return nil, err
	}
	if err := f.o.checkCatalog(prog); err != nil {
		return nil, err
	}
	f.prog, f.old = prog, make(map[string]string)
	f.findOwnFiles()
	if err := f.propose(); err != nil {
		return nil, err
	}
	files, err := f.settle(ctx)
	if err != nil {
		return nil, err
	}
	r := &fixReport{dir: f.goEnv.dir, fset: prog.fset, results: f.results}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		r.changes = append(r.changes, rewrite.Change{Name: name, Old: f.old[name], New: files[name]})
	}
	return r, nil
}

// findOwnFiles notes the files that may be changed: not those of dependencies,
// whatever -own says.
func (f *fixer) findOwnFiles() {
	f.mine = make(map[string]bool)
	for _, pkg := range f.prog.pkgs {
		if m := pkg.Module; m != nil && !m.Main && (m.Replace == nil || m.Replace.Version != "") {
			continue
		}
		for _, name := range pkg.GoFiles {
			f.mine[name] = true
		}
	}
}

// propose finds what would mend each finding.
func (f *fixer) propose() error {
	units, err := analyse(f.analyzers(&f.o.options), f.prog)
	if err != nil {
		return err
	}
	found, verdicts := joinedFindings(f.prog, units)
	found = f.o.shown(dedupe(found))
	finding.Sort(found)
	threads := thread.New(f.prog.fset, f.prog.pkgs, link.NewCallers(linked(units)), byPosition(verdicts), thread.Options{Exported: f.o.exported, Dir: f.goEnv.dir})
	for _, one := range found {
		u := &fixResult{finding: one}
		f.results = append(f.results, u)
		v := verdicts[one]
		switch {
		case len(one.Fixes) > 0:
			u.edits = fix.Edits(f.prog.fset, one.Fixes[0].TextEdits...)
		case v != nil && v.Code == finding.SeveredCallee:
			if u.chain, err = threads.Thread(v); err != nil {
				u.reason = err.Error()
				continue
			}
			u.edits = u.chain.Edits
		default:
			u.reason = "there is no fix that is safe to make unseen; see its message"
		}
	}
	return f.exclude()
}

func byPosition(verdicts map[*finding.Finding]*ctxflow.Verdict) []*ctxflow.Verdict {
	return slices.SortedFunc(maps.Values(verdicts), func(a, b *ctxflow.Verdict) int { return cmp.Compare(a.Pos, b.Pos) })
}

// exclude takes back what lies in others' files or changes what another
// change changes differently.
func (f *fixer) exclude() error {
	var kept []*fixResult
	// A fix of one place gives less cause for surprise than a changed signature.
	order := slices.Clone(f.results)
	slices.SortStableFunc(order, func(a, b *fixResult) int { return compareBool(a.chain != nil, b.chain != nil) })
	for _, u := range order {
		if u.edits == nil {
			continue
		}
		if i := slices.IndexFunc(u.edits, func(e fix.Edit) bool { return !f.mine[e.File] }); i >= 0 {
			u.reason = fmt.Sprintf("%s is not a file of this module", relative(u.edits[i].File, f.goEnv.dir))
			continue
		}
		if err := f.read(u); err != nil {
			return err
		}
		if _, err := f.compose(append(slices.Clip(kept), u)); err != nil {
			u.reason = "its fix changes what another changes differently; run again for it"
			continue
		}
		kept = append(kept, u)
	}
	return nil
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

func (f *fixer) read(u *fixResult) error {
	for _, e := range u.edits {
		if _, ok := f.old[e.File]; ok {
			continue
		}
		text, err := os.ReadFile(e.File)
		if err != nil {
			return err
		}
		f.old[e.File] = string(text)
	}
	return nil
}

// compose returns the files as the results change them.
func (f *fixer) compose(us []*fixResult) (map[string]string, error) {
	var edits, keeps []fix.Edit
	for _, u := range us {
		edits = append(edits, u.edits...)
		if u.chain != nil {
			keeps = append(keeps, u.chain.Keeps...)
		}
	}
	// One fix may take away an import that another one needs.
	edits = slices.DeleteFunc(edits, func(e fix.Edit) bool {
		return e.Text == "" && slices.ContainsFunc(keeps, func(k fix.Edit) bool {
			return e.File == k.File && e.Start <= k.Start && k.End <= e.End
		})
	})
	files, err := fix.ApplyEdits(f.old, edits)
	if err != nil {
		return nil, err
	}
	for name, text := range files {
		if text == f.old[name] {
			delete(files, name)
			continue
		}
		files[name] = formatted(f.old[name], text)
	}
	return files, nil
}

// formatted is the new text as gofmt has it, if the old one was so.
func formatted(old, text string) string {
	if was, err := goformat.Source([]byte(old)); err != nil || string(was) != old {
		return text
	}
	if is, err := goformat.Source([]byte(text)); err == nil {
		return string(is)
	}
	return text
}

func (f *fixer) planned() []*fixResult {
	return slices.DeleteFunc(slices.Clone(f.results), func(u *fixResult) bool { return !u.fixed() })
}

// settle analyses what would be written, and takes back what does not hold,
// until the rest does.
func (f *fixer) settle(ctx context.Context) (map[string]string, error) {
	for range maxRounds {
		planned := f.planned()
		if len(planned) == 0 {
			return nil, nil
		}
		files, err := f.compose(planned)
		if err != nil {
			return nil, err
		}
		f.progress.stage(fmt.Sprintf("analysing %d fixes", len(planned)))
		sound, err := f.check(ctx, files, planned)
		if err != nil {
			return nil, err
		}
		if sound {
			return files, nil
		}
	}
	for _, u := range f.planned() {
		u.reason = "the fixes together do not hold, and it did not show which of them is at fault"
	}
	return nil, nil
}

// check analyses the program with the files in it. If something is wrong with
// it, the fixes that are to blame get a reason.
func (f *fixer) check(ctx context.Context, files map[string]string, planned []*fixResult) (sound bool, err error) {
	f.overlays++
	dir := filepath.Join(f.temp, fmt.Sprint(f.overlays))
	if err := os.Mkdir(dir, 0o777); err != nil {
		return false, err
	}
	over, err := prove.NewQuietOverlay(dir, files)
	if err != nil {
		return false, err
	}
	o := f.o.options
	o.overlay = &overlay{over}
	prog, broken, err := f.loadFixed(ctx, &o)
	if err != nil {
		return false, err
	}
	if broken != nil {
		f.blameFiles(broken, planned)
		return false, nil
	}
	units, err := analyse(f.analyzers(&o), prog)
	if err != nil {
		return false, err
	}
	found := f.o.shown(dedupe(findingsOf(prog, units)))
	return f.compare(found, planned), nil
}

// loadFixed loads the program on the overlay, or returns what is wrong with it
// by file.
func (f *fixer) loadFixed(ctx context.Context, o *options) (*program, map[string]string, error) {
	prog, err := f.load(ctx, o, f.goEnv)
	if err == nil {
		return prog, nil, nil
	}
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	cfg := o.loadConfig(ctx, f.env, f.goEnv)
	o.overlay.configure(cfg)
	pkgs, loadErr := packages.Load(cfg, f.o.patterns...)
	if loadErr != nil {
		return nil, nil, err
	}
	broken := make(map[string]string)
	packages.Visit(pkgs, nil, func(pkg *packages.Package) {
		for _, e := range pkg.Errors {
			file, _, _ := strings.Cut(e.Pos, ":")
			if broken[file] == "" {
				broken[file] = problemLine(pkg, e, f.goEnv.dir)
			}
		}
	})
	if len(broken) == 0 {
		return nil, nil, err
	}
	return nil, broken, nil
}

// blameFiles takes back the fixes in files that do not compile any more, the
// chains first: the others are made so that they compile.
func (f *fixer) blameFiles(broken map[string]string, planned []*fixResult) {
	blame := func(which func(*fixResult) bool) bool {
		blamed := false
		for _, u := range planned {
			if which(u) {
				for _, name := range slices.Sorted(maps.Keys(broken)) {
					u.reason = "the result would not compile: " + broken[name]
					if touches(u, name) {
						break
					}
				}
				blamed = true
			}
		}
		return blamed
	}
	inBroken := func(u *fixResult) bool {
		return slices.ContainsFunc(u.edits, func(e fix.Edit) bool { return broken[e.File] != "" })
	}
	isChain := func(u *fixResult) bool { return u.chain != nil }
	_ = blame(func(u *fixResult) bool { return isChain(u) && inBroken(u) }) || blame(isChain) || blame(inBroken) || blame(func(*fixResult) bool { return true })
}

func touches(u *fixResult, file string) bool {
	return slices.ContainsFunc(u.edits, func(e fix.Edit) bool { return e.File == file })
}

// compare takes back fixes after which their finding is still there, and those
// that bring about a new one.
func (f *fixer) compare(found []*finding.Finding, planned []*fixResult) (sound bool) {
	kind := func(f *finding.Finding) finding.Identity {
		id := f.ID
		id.Ordinal = 0 // its equals may have gone
		return id
	}
	left := make(map[finding.Identity]int)
	for _, u := range f.results {
		if !u.fixed() {
			left[kind(u.finding)]++
		}
	}
	sound = true
	for _, one := range found {
		if left[kind(one)]--; left[kind(one)] >= 0 {
			continue
		}
		sound = false
		f.blame(one, planned)
	}
	return sound
}

// blame finds what has brought about a finding: the fix that was to mend it, a
// chain through its function, a fix in its file, or else any chain.
func (f *fixer) blame(one *finding.Finding, planned []*fixResult) {
	text := fmt.Sprintf("there would be a finding that is none now: %s: %s", positionText(token.Position{Filename: one.Position.Filename, Line: one.Position.Line}, f.goEnv.dir), one.Message)
	for i, which := range []func(*fixResult) bool{
		func(u *fixResult) bool {
			return u.finding.ID.Code == one.ID.Code && u.finding.ID.Home == one.ID.Home && u.finding.ID.Sink == one.ID.Sink
		},
		func(u *fixResult) bool { return u.chain != nil && slices.Contains(u.chain.Homes, one.ID.Home) },
		func(u *fixResult) bool { return u.chain != nil && touches(u, one.Position.Filename) },
		func(u *fixResult) bool { return touches(u, one.Position.Filename) },
		func(u *fixResult) bool { return u.chain != nil },
		func(*fixResult) bool { return true },
	} {
		blamed := false
		for _, u := range planned {
			if which(u) {
				if u.reason == "" {
					u.reason = text
					if i == 0 {
						u.reason = "it would still be found"
					}
				}
				blamed = true
			}
		}
		if blamed {
			return
		}
	}
}
