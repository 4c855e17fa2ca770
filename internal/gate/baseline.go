package gate

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/ctxprop/ctxprop/internal/finding"
	"github.com/ctxprop/ctxprop/internal/rewrite"
)

// Baseline is a list of known findings in a file: a line of JSON about the
// list, and then one for each finding, sorted, so that a change of the list is
// easy to read and seldom in conflict with another.
type Baseline struct {
	// Packages and Dir are the patterns of the run that wrote the list, and its
	// directory as seen from the file. Only such a run can tell that an entry
	// is stale: another one may not see who reaches the loss.
	Packages []string
	Dir      string
	entries  []baselineEntry
}

// baselineVersion changes when the format does in a way that an older program
// would misread.
const baselineVersion = 1

type baselineHeader struct {
	Tool     string   `json:"ctxprop"` // "baseline", so that the file says what it is
	Version  int      `json:"version"`
	Packages []string `json:"packages"`
	Dir      string   `json:"dir"`
}

type baselineEntry struct {
	Code    finding.Code `json:"code"`
	Home    string       `json:"home"`
	Sink    string       `json:"sink"`
	Ordinal int          `json:"ordinal,omitzero"`
	Entries []string     `json:"entries,omitempty"`
}

func (e *baselineEntry) id() finding.Identity {
	return finding.Identity{Code: e.Code, Home: e.Home, Sink: e.Sink, Ordinal: e.Ordinal}
}

// NewBaseline lists findings.
func NewBaseline(packages []string, dir string, fs []*finding.Finding) *Baseline {
	b := &Baseline{Packages: slices.Sorted(slices.Values(packages)), Dir: dir}
	next := map[kind]int{}
	for _, f := range inOrder(fs) {
		k := kindOf(f)
		entries := slices.Sorted(slices.Values(f.Entries))
		b.entries = append(b.entries, baselineEntry{k.code, k.home, k.sink, next[k], entries})
		next[k]++
	}
	return b
}

// Revision is the list as a side of a comparison.
func (b *Baseline) Revision() *Revision {
	r := &Revision{}
	for _, e := range b.entries {
		r.Findings = append(r.Findings, &finding.Finding{ID: e.id(), Severity: finding.Error, Entries: e.Entries})
	}
	return r
}

// Covers reports whether a run over the patterns in dir, as seen from the file,
// sees all that the one that wrote the list saw.
func (b *Baseline) Covers(packages []string, dir string) bool {
	return b.Dir == dir && slices.Equal(b.Packages, slices.Sorted(slices.Values(packages)))
}

// Without returns the list without the stale findings. What is left keeps its
// ordinals apart and without gaps.
func (b *Baseline) Without(stale []*finding.Finding) *Baseline {
	kept := b.Revision().Findings
	for _, s := range stale {
		kept = slices.DeleteFunc(kept, func(f *finding.Finding) bool { return f.ID == s.ID })
	}
	return NewBaseline(b.Packages, b.Dir, kept)
}

// ReadBaseline reads a list from a file. Its errors call the file by the name
// that its user gave, and have the line and the mend.
func ReadBaseline(file, name string) (*Baseline, error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("no baseline %s; write it with ctxprop -baseline %s -write-baseline", name, name)
	}
	if failed, ok := errors.AsType[*os.PathError](err); ok {
		err = failed.Err
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the baseline %s: %v", name, err)
	}
	b, line, err := parseBaseline(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s:%d: %v", name, line, err)
	}
	return b, nil
}

// parseBaseline returns the number of the line with the error, if there is one.
func parseBaseline(text string) (b *Baseline, line int, err error) {
	const anew = "; write the baseline anew with -write-baseline"
	b = new(Baseline)
	headed := false
	for l := range strings.Lines(text) {
		line++
		l = strings.TrimSpace(l)
		switch {
		case l == "":
		case conflict(l):
			return nil, line, errors.New("a merge conflict; keep the lines of both sides, or write the baseline anew with -write-baseline")
		case !headed:
			headed = true
			var h baselineHeader
			if err := decodeLine(l, &h); err != nil || h.Tool != "baseline" {
				return nil, line, errors.New("this is no baseline of ctxprop" + anew)
			}
			if h.Version != baselineVersion {
				return nil, line, fmt.Errorf("version %d of the format, and this ctxprop reads version %d: use the one that wrote it, or write the baseline anew with -write-baseline", h.Version, baselineVersion)
			}
			b.Packages, b.Dir = h.Packages, h.Dir
		default:
			var e baselineEntry
			if err := decodeLine(l, &e); err != nil {
				return nil, line, fmt.Errorf("%v%s", err, anew)
			}
			if e.Code == "" || e.Home == "" {
				return nil, line, errors.New("an entry needs a code and a home" + anew)
			}
			b.entries = append(b.entries, e)
		}
	}
	if !headed {
		return nil, 1, errors.New("the baseline is empty" + anew)
	}
	b.merge()
	return b, 0, nil
}

func conflict(line string) bool {
	return strings.HasPrefix(line, "<<<<<<<") || strings.HasPrefix(line, ">>>>>>>") || strings.HasPrefix(line, "=======") || strings.HasPrefix(line, "|||||||")
}

func decodeLine(line string, v any) error {
	d := json.NewDecoder(strings.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return fmt.Errorf("not a line of a baseline: %v", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("not a line of a baseline: more than one value on it")
	}
	return nil
}

// merge puts equal entries together, as a merge that keeps the lines of both
// sides leaves them.
func (b *Baseline) merge() {
	at := map[finding.Identity]int{}
	var merged []baselineEntry
	for _, e := range b.entries {
		i, known := at[e.id()]
		if !known {
			at[e.id()] = len(merged)
			merged = append(merged, e)
			continue
		}
		all := slices.Concat(merged[i].Entries, e.Entries)
		slices.Sort(all)
		merged[i].Entries = slices.Compact(all)
	}
	b.entries = merged
}

func (b *Baseline) text() ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(baselineHeader{"baseline", baselineVersion, b.Packages, b.Dir}); err != nil {
		return nil, err
	}
	place := func(home string) string { return strings.TrimLeft(home, "(*") } // methods with their package's functions
	sorted := slices.SortedFunc(slices.Values(b.entries), func(x, y baselineEntry) int {
		return cmp.Or(
			cmp.Compare(place(x.Home), place(y.Home)),
			cmp.Compare(x.Home, y.Home),
			cmp.Compare(x.Code, y.Code),
			cmp.Compare(x.Sink, y.Sink),
			cmp.Compare(x.Ordinal, y.Ordinal),
		)
	})
	for _, e := range sorted {
		if err := enc.Encode(e); err != nil {
			return nil, err
		}
	}
	return buf.Bytes(), nil
}

// Write replaces the file by the list, all of it or not at all. It leaves a
// file alone that holds it already.
func (b *Baseline) Write(name string) error {
	text, err := b.text()
	if err != nil {
		return err
	}
	if old, err := os.ReadFile(name); err == nil && bytes.Equal(old, text) {
		return nil
	}
	if err := rewrite.Create(name, string(text)); err != nil {
		return fmt.Errorf("cannot write the baseline: %v", err)
	}
	return nil
}
