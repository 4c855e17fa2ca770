package prove

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/ctxprop/ctxprop/internal/finding"
)

// WriteText prints a report for a terminal: the findings, then each scenario
// with its verdict, its figures and its course.
func WriteText(w io.Writer, r *Report) error {
	var b strings.Builder
	for _, f := range r.Findings {
		r.writeFinding(&b, f)
	}
	if len(r.Findings) == 0 {
		b.WriteString("no findings, so there is nothing to prove\n")
	}
	for _, f := range r.Left {
		fmt.Fprintf(&b, "%s: with the fixes in: %s\n", r.place(f), f.Message)
	}
	for _, o := range r.Scenarios {
		b.WriteString("\n")
		r.writeOutcome(&b, o)
	}
	b.WriteString("\n" + r.summary() + "\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func (r *Report) writeFinding(b *strings.Builder, f *FindingOutcome) {
	fmt.Fprintf(b, "%s: %s\n", r.place(f.Finding), f.Finding.Message)
	for _, o := range f.Scenarios {
		fmt.Fprintf(b, "\t%s in %s\n", o.Judgement.Verdict, o.Key)
	}
	if f.Scenarios == nil {
		fmt.Fprintf(b, "\t%s: %s\n", f.Verdict, f.Why)
	}
}

// place is file:line.
func (r *Report) place(f *finding.Finding) string {
	return fmt.Sprintf("%s:%d", r.file(f), f.Position.Line)
}

// file is the finding's, seen from the report's directory if it lies below it.
func (r *Report) file(f *finding.Finding) string {
	if rel, err := filepath.Rel(r.Dir, f.Position.Filename); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return f.Position.Filename
}

func (r *Report) writeOutcome(b *strings.Builder, o *Outcome) {
	fmt.Fprintf(b, "%s: %s\n", o.Key, o.Judgement.headline())
	fmt.Fprintf(b, "\t%s\n", strings.ReplaceAll(o.Judgement.Why, "\n", "\n\t"))
	if e := o.Before.Expect; e != nil && e.Verdict != "" {
		fmt.Fprintf(b, "\tdeclared: %s, because %s\n", e.Verdict, e.Reason)
	}
	if !o.measured() {
		return
	}
	fmt.Fprintf(b, "\t%s\n", o.setting())
	for _, f := range o.Fixed {
		fmt.Fprintf(b, "\tfixed: %s (%s)\n", r.place(f), f.ID.Code)
	}
	if o.Fixed == nil {
		b.WriteString("\tno fix lies on its path: both runs are of the same code\n")
	}
	b.WriteString("\n")
	writeIndented(b, o.table())
	writeIndented(b, o.course())
	for _, w := range o.Each {
		fmt.Fprintf(b, "\twithout %s: %s: %s\n", r.places(w.Fixes), w.Judgement.Verdict, w.Judgement.Why)
	}
}

// measured reports whether there are figures of one side at least.
func (o *Outcome) measured() bool {
	return len(o.Before.Trials) > 0 || o.After != nil && len(o.After.Trials) > 0
}

func (r *Report) places(fs []*finding.Finding) string {
	var texts []string
	for _, f := range fs {
		texts = append(texts, fmt.Sprintf("%s (%s)", r.place(f), f.ID.Code))
	}
	return strings.Join(texts, ", ")
}

// writeIndented writes the lines, without blanks at their ends.
func writeIndented(b *strings.Builder, text string) {
	for line := range strings.Lines(text) {
		fmt.Fprintf(b, "\t%s\n", strings.TrimRight(line, " \n"))
	}
}

// table has the figures of both sides.
func (o *Outcome) table() string {
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 8, 3, ' ', 0)
	fmt.Fprintf(t, "\tas it is\twith the fixes\n")
	for _, f := range figures {
		if f.shown(o) {
			fmt.Fprintf(t, "%s\t%s\t%s\n", f.name, f.spread(o.Before), f.spread(o.After))
		}
	}
	_ = t.Flush() // to a builder
	return b.String()
}

// headline is the verdict with how sure it is.
func (j *Judgement) headline() string {
	text := string(j.Verdict)
	if j.Verdict == Proven {
		text += fmt.Sprintf(" (p = %.3f)", j.P)
	}
	if j.Met && j.Verdict != Proven {
		text += ", as declared"
	}
	return text
}

// setting says under what the scenario was measured.
func (o *Outcome) setting() string {
	b := o.Before
	text := fmt.Sprintf("%s; deadline %.0f ms, %s, %s, %s, %s clock",
		strings.Join(b.Methods, ", "), b.DeadlineMS, counted(b.Attempts, "attempt"), counted(b.Workers, "worker"), counted(o.seeds(), "seed"), b.Clock)
	if b.ClockReason != "" {
		text += " (" + b.ClockReason + ")"
	}
	return text
}

func (o *Outcome) seeds() int {
	if len(o.Before.Trials) == 0 && o.After != nil {
		return len(o.After.Trials)
	}
	return len(o.Before.Trials)
}

func counted(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// course is the workers and the goodput over time, a character per bin.
func (o *Outcome) course() string {
	before, after := o.typical()
	if before == nil {
		return ""
	}
	var b strings.Builder
	workers := max(o.Before.Workers*10, peak(before.Workers, after.Workers))
	good := peak(thin(before.Good), thin(after.Good))
	for _, line := range []struct {
		name   string
		values []int
		most   int
		mean   bool
	}{
		{"busy workers, as it is", mean(before.Workers), workers, true},
		{"          with the fixes", mean(after.Workers), workers, true},
		{"good answers, as it is", thin(before.Good), good, false},
		{"          with the fixes", thin(after.Good), good, false},
	} {
		fmt.Fprintf(&b, "%-24s %s\n", line.name, bars(line.values, line.most))
	}
	fmt.Fprintf(&b, "%-24s %s\n", "", o.trigger(len(thin(before.Good))))
	return b.String()
}

// columns is how many characters a course is wide, at most.
const columns = 50

// thin adds up neighbours until the values fit into the columns.
func thin(x []int) []int { return fold(x, 1) }

// mean is thin for values that are means themselves.
func mean(x []int) []int { return fold(x, per(x)) }

// per is how many values share a column.
func per(x []int) int { return max(1, (len(x)+columns-1)/columns) }

func fold(x []int, by int) []int {
	var out []int
	for i := 0; i < len(x); i += per(x) {
		sum := 0
		for _, v := range x[i:min(i+per(x), len(x))] {
			sum += v
		}
		out = append(out, sum/by)
	}
	return out
}

var blocks = []rune(" ▁▂▃▄▅▆▇█")

func bars(x []int, most int) string {
	var b strings.Builder
	for _, v := range x {
		i := (v*(len(blocks)-1) + most/2) / most
		if i == 0 && v > 0 {
			i = 1 // little is not nothing
		}
		b.WriteRune(blocks[min(max(i, 0), len(blocks)-1)])
	}
	return b.String()
}

// trigger marks the time of the disturbance below a course.
func (o *Outcome) trigger(width int) string {
	b := o.Before
	if b.TotalMS <= 0 {
		return ""
	}
	at := func(ms float64) int { return int(ms / b.TotalMS * float64(width)) }
	from, to := at(b.Trigger.FromMS), at(b.Trigger.ToMS)
	return strings.Repeat(" ", from) + strings.Repeat("^", max(to-from, 1)) + " " + b.Trigger.describe()
}

func (t Trigger) describe() string {
	switch t.Kind {
	case "spike":
		if t.Factor == 1 {
			return "the test's own trigger"
		}
		return fmt.Sprintf("load × %.3g", t.Factor)
	case "brownout":
		return fmt.Sprintf("dependency %.3g × slower", t.Factor)
	case "blackout":
		return "dependency down"
	}
	return t.Kind
}

// summary counts the verdicts.
func (r *Report) summary() string {
	met := 0
	for _, o := range r.Scenarios {
		if o.Judgement.Met {
			met++
		}
	}
	unmeasured := 0
	for _, f := range r.Findings {
		if f.Scenarios == nil {
			unmeasured++
		}
	}
	text := fmt.Sprintf("%d of %s proven or as declared", met, counted(len(r.Scenarios), "scenario"))
	if unmeasured > 0 {
		text += fmt.Sprintf("; %d of %s not measured", unmeasured, counted(len(r.Findings), "finding"))
	}
	if len(r.Scenarios) > 0 {
		text += "; p speaks of the scenarios' random arrivals and service times, not of your production traffic"
	}
	return text
}
