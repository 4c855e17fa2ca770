package prove

import (
	"fmt"
	"html"
	"path/filepath"
	"strings"

	"github.com/ctxprop/ctxprop/internal/rewrite"
)

// WritePicture writes a report as a picture: a self-contained HTML page, or only
// its drawing if the name ends in .svg. An existing file stays as it is unless
// the new one is complete.
func WritePicture(name string, r *Report) error {
	text := page(r)
	if strings.EqualFold(filepath.Ext(name), ".svg") {
		text = Drawing(r.Scenarios)
	}
	if err := rewrite.Create(name, text); err != nil {
		return fmt.Errorf("cannot write the picture: %v", err)
	}
	return nil
}

// The layout of the drawing, in pixels: a row per scenario, a column per side,
// and in each two charts, calls above workers.
const (
	chartWidth   = 440
	callsHeight  = 130
	workerHeight = 84
	left, right  = 56, 20
	head         = 66 // of a row: name, verdict, side
	between      = 30 // the two charts
	foot         = 40
	columnWidth  = left + chartWidth + right
	rowHeight    = head + callsHeight + between + workerHeight + foot
	legendHeight = 34
)

// palette holds the colours, for light and dark and for print. Nothing is told by
// colour alone: offered load is dashed, work for callers who had gone is
// hatched.
const palette = `
svg { --ink: #1f2328; --soft: #59636e; --rule: #d1d9e0; --paper: #ffffff; --good: #0969da; --busy: #9a6700; --gone: #cf222e; --mark: #eaeef2; }
@media (prefers-color-scheme: dark) { svg { --ink: #f0f6fc; --soft: #9198a1; --rule: #3d444d; --paper: #0d1117; --good: #58a6ff; --busy: #d29922; --gone: #ff7b72; --mark: #212830; } }
@media print { svg { --ink: #000000; --soft: #333333; --rule: #999999; --paper: #ffffff; --good: #0550ae; --busy: #7d4e00; --gone: #a40e26; --mark: #eeeeee; } }
text { font: 12px system-ui, sans-serif; fill: var(--ink) }
.name { font-size: 15px; font-weight: 600 }
.soft { fill: var(--soft) }
.end { text-anchor: end }
.middle { text-anchor: middle }
.rule { stroke: var(--rule); fill: none }
.ceiling { stroke: var(--soft); stroke-dasharray: 2 3; fill: none }
.trigger { fill: var(--mark) }
.offered { stroke: var(--soft); stroke-width: 1.5; stroke-dasharray: 5 3; fill: none }
.good { stroke: var(--good); stroke-width: 2; fill: none }
.busy { stroke: var(--busy); fill: var(--busy); fill-opacity: .2 }
.gone { stroke: var(--gone); fill: url(#hatch) }
.hatch { stroke: var(--gone); stroke-width: 2.5 }
.paper { fill: var(--paper) }
`

// Drawing draws the course of each scenario, as it is beside with the fixes.
func Drawing(outcomes []*Outcome) string {
	var drawn []*Outcome
	for _, o := range outcomes {
		if before, _ := o.typical(); before != nil {
			drawn = append(drawn, o)
		}
	}
	var b strings.Builder
	width, height := 2*columnWidth, len(drawn)*rowHeight+legendHeight
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-label="Load, goodput and busy workers of each scenario, without and with the fixes">`, width, height, width, height)
	fmt.Fprintf(&b, "\n<style>%s</style>\n", palette)
	b.WriteString(`<defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><line class="hatch" x1="0" y1="0" x2="0" y2="6"/></pattern></defs>` + "\n")
	b.WriteString(`<rect class="paper" width="100%" height="100%"/>` + "\n")
	for i, o := range drawn {
		drawOutcome(&b, o, i*rowHeight)
	}
	drawLegend(&b, len(drawn)*rowHeight)
	b.WriteString("</svg>\n")
	return b.String()
}

func drawOutcome(b *strings.Builder, o *Outcome, top int) {
	fmt.Fprintf(b, `<text class="name" x="%d" y="%d">%s: %s</text>`+"\n", left, top+22, html.EscapeString(o.Key.String()), html.EscapeString(o.Judgement.headline()))
	before, after := o.typical()
	c := charts{
		o:       o,
		calls:   perSecond(peak(smooth(before.Offered), smooth(before.Good), smooth(after.Offered), smooth(after.Good)), before.BinMS),
		workers: float64(max(o.Before.Workers, peak(before.Workers, after.Workers)/10)),
	}
	for side, s := range []*Series{before, after} {
		c.x, c.y, c.s = side*columnWidth+left, top+head, s
		fmt.Fprintf(b, `<text x="%d" y="%d">%s: %s</text>`+"\n", c.x, c.y-22, []string{"as it is", "with the fixes"}[side], outcomeOf([]*Measured{o.Before, o.After}[side]))
		c.draw(b)
	}
}

// outcomeOf says in a line what became of a side.
func outcomeOf(m *Measured) string {
	if m.Trigger.Kind == "blackout" {
		return figureNamed("dependency calls per call").spread(m) + " dependency calls per call"
	}
	text := figureNamed("goodput after the trigger").spread(m) + " answered in time afterwards"
	if recovery := figureNamed("time to recover").spread(m); recovery == "never" {
		text += ", no recovery"
	}
	return text
}

// window is how many bins a rate is taken over: single bins of 100 ms hold a
// handful of calls, whose number is mostly chance.
const window = 5

// smooth sums windows.
func smooth(x []int) []int {
	var out []int
	for i := 0; i+window <= len(x); i++ {
		sum := 0
		for _, v := range x[i : i+window] {
			sum += v
		}
		out = append(out, sum)
	}
	return out
}

func perSecond(sum, binMS int) float64 {
	return float64(sum) * 1000 / float64(window*max(binMS, 1))
}

// charts draws one side of one scenario, with scales that both sides share.
type charts struct {
	o       *Outcome
	s       *Series
	x, y    int
	calls   float64 // per second, at the top of the upper chart
	workers float64 // at the top of the lower one
}

func (c *charts) draw(b *strings.Builder) {
	bins := max(len(c.s.Offered), 1)
	seconds := float64(bins*c.s.BinMS) / 1000
	at := func(ms float64) float64 { return float64(c.x) + ms/1000/seconds*chartWidth }
	lower := c.y + callsHeight + between
	t := c.o.Before.Trigger
	for _, box := range [][2]int{{c.y, callsHeight}, {lower, workerHeight}} {
		fmt.Fprintf(b, `<rect class="trigger" x="%.1f" y="%d" width="%.1f" height="%d"/>`, at(t.FromMS), box[0], at(t.ToMS)-at(t.FromMS), box[1])
		fmt.Fprintf(b, `<path class="rule" d="M%d %dv%dh%d"/>`+"\n", c.x, box[0], box[1], chartWidth)
	}
	fmt.Fprintf(b, `<text class="soft" x="%.1f" y="%d">%s</text>`+"\n", at(t.FromMS), c.y-6, html.EscapeString(t.describe()))

	rate := func(class string, x []int) {
		fmt.Fprintf(b, `<polyline class="%s" points="`, class)
		for i, sum := range smooth(x) {
			ms := (float64(i) + window/2.0) * float64(c.s.BinMS)
			fmt.Fprintf(b, "%.1f,%.1f ", at(ms), float64(c.y+callsHeight)-perSecond(sum, c.s.BinMS)/c.calls*callsHeight)
		}
		b.WriteString(`"/>` + "\n")
	}
	rate("offered", c.s.Offered)
	rate("good", c.s.Good)

	area := func(class string, x []int) {
		bottom := float64(lower + workerHeight)
		fmt.Fprintf(b, `<path class="%s" d="M%d %.1f`, class, c.x, bottom)
		for i, v := range x {
			y := bottom - float64(v)/10/c.workers*workerHeight
			fmt.Fprintf(b, "L%.1f %.1fH%.1f", at(float64(i*c.s.BinMS)), y, at(float64((i+1)*c.s.BinMS)))
		}
		fmt.Fprintf(b, `V%.1fZ"/>`+"\n", bottom)
	}
	area("busy", c.s.Workers)
	area("gone", c.s.Zombie)
	if n := c.o.Before.Workers; n > 0 {
		y := float64(lower+workerHeight) - float64(n)/c.workers*workerHeight
		fmt.Fprintf(b, `<path class="ceiling" d="M%d %.1fh%d"/>`, c.x, y, chartWidth)
		fmt.Fprintf(b, `<text class="soft end" x="%d" y="%.1f">%d</text>`+"\n", c.x-6, y+4, n)
	}

	label := func(y int, text string) {
		fmt.Fprintf(b, `<text class="soft end" x="%d" y="%d">%s</text>`+"\n", c.x-6, y, text)
	}
	label(c.y+10, fmt.Sprintf("%.0f/s", c.calls))
	label(c.y+callsHeight, "0")
	label(lower+workerHeight, "0")
	for s, step := 0, tick(seconds); float64(s) <= seconds; s += step {
		fmt.Fprintf(b, `<text class="soft middle" x="%.1f" y="%d">%d s</text>`, at(float64(s)*1000), lower+workerHeight+16, s)
	}
	b.WriteString("\n")
}

// tick is how many seconds lie between two marks.
func tick(seconds float64) int {
	step := 1
	for seconds/float64(step) > 10 {
		step *= 2
	}
	return step
}

func drawLegend(b *strings.Builder, top int) {
	x, y := left, top+14
	for _, l := range []struct{ mark, text string }{
		{`<path class="offered" d="M0 0h26"/>`, "calls offered per second"},
		{`<path class="good" d="M0 0h26"/>`, "answered in time"},
		{`<rect class="busy" y="-6" width="26" height="12"/>`, "busy workers (dotted: all)"},
		{`<rect class="gone" y="-6" width="26" height="12"/>`, "for callers who had gone"},
	} {
		fmt.Fprintf(b, `<g transform="translate(%d %d)">%s<text x="34" y="4">%s</text></g>`+"\n", x, y, l.mark, l.text)
		x += 50 + 7*len(l.text)
	}
}

// page is the drawing with the verdicts and figures in words.
func page(r *Report) string {
	var b strings.Builder
	b.WriteString(pageHead)
	fmt.Fprintf(&b, "<p>%s.</p>\n", html.EscapeString(r.summary()))
	b.WriteString(`<div class="scroll">` + Drawing(r.Scenarios) + "</div>\n")
	for _, o := range r.Scenarios {
		r.describe(&b, o)
	}
	if len(r.Findings) > 0 {
		b.WriteString("<h2>Findings</h2>\n<table><tr><th>place</th><th>finding</th><th>verdict</th></tr>\n")
	}
	for _, f := range r.Findings {
		var verdicts []string
		for _, o := range f.Scenarios {
			verdicts = append(verdicts, fmt.Sprintf("%s in %s", o.Judgement.Verdict, o.Key))
		}
		if f.Scenarios == nil {
			verdicts = []string{fmt.Sprintf("%s: %s", f.Verdict, f.Why)}
		}
		row(&b, "td", r.place(f.Finding), f.Finding.Message, strings.Join(verdicts, "; "))
	}
	if len(r.Findings) > 0 {
		b.WriteString("</table>\n")
	}
	b.WriteString("</body></html>\n")
	return b.String()
}

const pageHead = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>ctxprop prove</title>
<style>
:root { color-scheme: light dark }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 1040px; margin: 2em auto; padding: 0 1em; color: #1f2328; background: #ffffff }
table { border-collapse: collapse; margin: .5em 0 1.5em }
th, td { text-align: left; vertical-align: top; padding: .2em 1.2em .2em 0; border-bottom: 1px solid #d1d9e0 }
.scroll { overflow-x: auto }
svg { max-width: 100%; height: auto }
@media (prefers-color-scheme: dark) { body { color: #f0f6fc; background: #0d1117 } th, td { border-color: #3d444d } }
@media print { body { color: #000000; background: #ffffff; max-width: none; margin: 0 } h2, table { break-inside: avoid } }
</style></head><body>
<h1>What the fixes are worth</h1>
`

func (r *Report) describe(b *strings.Builder, o *Outcome) {
	fmt.Fprintf(b, "<h2>%s: %s</h2>\n<p>%s</p>\n", html.EscapeString(o.Key.String()), html.EscapeString(o.Judgement.headline()), html.EscapeString(o.Judgement.Why))
	if e := o.Before.Expect; e != nil && e.Verdict != "" {
		fmt.Fprintf(b, "<p>Declared: %s, because %s</p>\n", html.EscapeString(string(e.Verdict)), html.EscapeString(e.Reason))
	}
	if !o.measured() {
		return
	}
	fmt.Fprintf(b, "<p>%s. Fixed: %s.</p>\n<table>\n", html.EscapeString(o.setting()), html.EscapeString(orNothing(r.places(o.Fixed))))
	row(b, "th", "", "as it is", "with the fixes")
	for _, f := range figures {
		if f.shown(o) {
			row(b, "td", f.name, f.spread(o.Before), f.spread(o.After))
		}
	}
	for _, w := range o.Each {
		row(b, "td", "without the fix of "+r.places(w.Fixes), "", string(w.Judgement.Verdict)+": "+w.Judgement.Why)
	}
	b.WriteString("</table>\n")
}

func orNothing(s string) string {
	if s == "" {
		return "nothing on its path"
	}
	return s
}

func row(b *strings.Builder, cell string, texts ...string) {
	b.WriteString("<tr>")
	for _, t := range texts {
		fmt.Fprintf(b, "<%s>%s</%s>", cell, html.EscapeString(t), cell)
	}
	b.WriteString("</tr>\n")
}
