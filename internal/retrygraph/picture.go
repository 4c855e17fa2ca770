package retrygraph

import (
	"fmt"
	"html"
	"io"
	"strings"
	"unicode/utf8"
)

// The layout of the drawing, in pixels: a column for each step from the first
// caller on, and in it a row for each node.
const (
	margin    = 24
	boxHeight = 40
	rowHeight = 76
	gap       = 130 // between columns, for the factor
	charWidth = 7.2
	boxPad    = 14
)

// palette holds the colours, for light and dark and for print. Nothing is told by
// colour alone: what is reported is drawn thick.
const palette = `
svg { --ink: #1f2328; --soft: #59636e; --rule: #8c959f; --paper: #ffffff; --box: #f6f8fa; --bad: #cf222e; }
@media (prefers-color-scheme: dark) { svg { --ink: #f0f6fc; --soft: #9198a1; --rule: #656c76; --paper: #0d1117; --box: #151b23; --bad: #ff7b72; } }
@media print { svg { --ink: #000000; --soft: #333333; --rule: #666666; --paper: #ffffff; --box: #ffffff; --bad: #a40e26; } }
text { font: 12px ui-monospace, monospace; fill: var(--ink) }
.soft { fill: var(--soft); font-size: 10px }
.factor { text-anchor: middle; font-weight: 600; paint-order: stroke; stroke: var(--paper); stroke-width: 5px }
.box { fill: var(--box); stroke: var(--rule) }
.edge { stroke: var(--rule); fill: none }
.bad { stroke: var(--bad); stroke-width: 2.5 }
text.bad { fill: var(--bad); stroke: var(--paper); stroke-width: 5px }
.paper { fill: var(--paper) }
`

// box is a node with its place.
type box struct{ x, y, width float64 }

// layout places the nodes.
func (g *Graph) layout() (boxes map[*Node]box, width, height float64) {
	column := g.columns()
	var columns [][]*Node
	for _, n := range g.Nodes {
		for len(columns) <= column[n] {
			columns = append(columns, nil)
		}
		columns[column[n]] = append(columns[column[n]], n)
	}
	boxes = make(map[*Node]box)
	x := float64(margin)
	for _, nodes := range columns {
		widest := 0.0
		for _, n := range nodes {
			widest = max(widest, charWidth*float64(utf8.RuneCountInString(n.Name))+2*boxPad)
		}
		for i, n := range nodes {
			boxes[n] = box{x, margin + float64(i)*rowHeight, widest}
		}
		height = max(height, margin+float64(len(nodes))*rowHeight)
		x += widest + gap
	}
	return boxes, max(x-gap+margin, 2*margin), max(height, 2*margin)
}

// Drawing draws the graph.
func (g *Graph) Drawing() string {
	boxes, width, height := g.layout()
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" role="img" aria-label="Which service calls which, and how often each repeats a call">`, width, height, width, height)
	fmt.Fprintf(&b, "\n<style>%s</style>\n", palette)
	b.WriteString(`<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0 8 4 0 8z" fill="context-stroke"/></marker></defs>` + "\n")
	b.WriteString(`<rect class="paper" width="100%" height="100%"/>` + "\n")
	for i, e := range g.Edges {
		g.drawEdge(&b, e, g.twinsBefore(i), boxes)
	}
	for _, n := range g.Nodes {
		at := boxes[n]
		fmt.Fprintf(&b, `<g><title>%s</title><rect class="box" x="%.0f" y="%.0f" width="%.0f" height="%d" rx="5"/>`, html.EscapeString(n.about()), at.x, at.y, at.width, boxHeight)
		fmt.Fprintf(&b, `<text x="%.0f" y="%.0f">%s</text><text class="soft" x="%.0f" y="%.0f">%s</text></g>`+"\n", at.x+boxPad, at.y+17, html.EscapeString(n.Name), at.x+boxPad, at.y+32, n.Kind)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// twinsBefore counts the edges before the i-th that have the same ends.
func (g *Graph) twinsBefore(i int) int {
	n := 0
	for _, e := range g.Edges[:i] {
		if e.From == g.Edges[i].From && e.To == g.Edges[i].To {
			n++
		}
	}
	return n
}

func (g *Graph) drawEdge(b *strings.Builder, e *Edge, twin int, boxes map[*Node]box) {
	from, to := boxes[e.From], boxes[e.To]
	x1, y1 := from.x+from.width, from.y+boxHeight/2
	x2, y2 := to.x, to.y+boxHeight/2
	bend := float64(twin) * 26
	path := fmt.Sprintf("M%.0f %.0f C%.0f %.0f %.0f %.0f %.0f %.0f", x1, y1, x1+gap/2, y1+bend, x2-gap/2, y2+bend, x2, y2)
	if x2 <= x1 { // back, or in the same column: below the boxes
		path = fmt.Sprintf("M%.0f %.0f C%.0f %.0f %.0f %.0f %.0f %.0f", x1, y1, x1+gap/2, y1+rowHeight/2, x2-gap/2, y2+rowHeight/2, x2, y2)
	}
	class := ""
	if g.worstOf(e).Reported {
		class = " bad"
	}
	// Near the end: many edges may leave a node, few arrive at one.
	fmt.Fprintf(b, `<g><title>%s</title><path class="edge%s" d="%s" marker-end="url(#tip)"/>`, html.EscapeString(e.about()), class, path)
	fmt.Fprintf(b, `<text class="factor%s" x="%.0f" y="%.0f">×%s</text></g>`+"\n", class, x1+(x2-x1)*0.6, y1+(y2-y1)*0.65+bend*0.75+4, html.EscapeString(e.Total().String()))
}

func (n *Node) about() string {
	if n.File == "" {
		return n.Key
	}
	return fmt.Sprintf("%s (%s:%d)", n.Key, n.File, n.Line)
}

func (e *Edge) about() string {
	lines := []string{e.From.Name + " -> " + e.To.Name}
	for _, l := range e.Layers {
		lines = append(lines, layerText(l))
	}
	return strings.Join(lines, "\n")
}

// WriteSVG prints the drawing.
func WriteSVG(w io.Writer, g *Graph) error {
	_, err := io.WriteString(w, g.Drawing())
	return err
}

const pageStyle = `
:root { color-scheme: light dark }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 1100px; margin: 2em auto; padding: 0 1em }
.scroll { overflow-x: auto }
table { border-collapse: collapse; width: 100%; margin: 1.5em 0 }
th, td { text-align: left; vertical-align: top; padding: .4em .8em .4em 0; border-bottom: 1px solid #8884 }
td.number { white-space: nowrap; font-weight: 600 }
small { opacity: .75; display: block }
`

// WriteHTML prints a page with the drawing and a table of the paths. It loads
// nothing.
func WriteHTML(w io.Writer, g *Graph) error {
	var b strings.Builder
	fmt.Fprintf(&b, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\"><title>Retries</title><style>%s</style></head><body>\n", pageStyle)
	b.WriteString("<h1>Retries</h1>\n<p>An edge says how often the layers on it repeat what it leads to; hover for where they are. What CTX301 reports is drawn thick. ? is a count that is not known.</p>\n")
	fmt.Fprintf(&b, "<div class=\"scroll\">\n%s</div>\n", g.Drawing())
	b.WriteString("<table><thead><tr><th>attempts</th><th>path and layers, the outermost first</th></tr></thead><tbody>\n")
	for _, p := range g.Paths {
		fmt.Fprintf(&b, "<tr><td class=\"number\">%s</td><td>%s", html.EscapeString(p.verdict()), html.EscapeString(p.title()))
		for _, e := range p.Edges {
			for _, l := range e.Layers {
				fmt.Fprintf(&b, "<small>%s</small>", html.EscapeString(layerText(l)))
			}
		}
		b.WriteString("</td></tr>\n")
	}
	b.WriteString("</tbody></table>\n</body></html>\n")
	_, err := io.WriteString(w, b.String())
	return err
}
