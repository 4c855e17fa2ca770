package retrygraph

import (
	"fmt"
	"io"
	"strings"

	"github.com/ctxprop/ctxprop/internal/ctxflow"
)

// WriteText prints each path with its number of attempts, and below it the
// layers that make it, the outermost first. File names of nodes are as the
// graph has them; those of layers have their last folder only.
func WriteText(w io.Writer, g *Graph) error {
	var b strings.Builder
	for _, p := range g.Paths {
		fmt.Fprintf(&b, "%s: %s\n", p.title(), p.verdict())
		for _, e := range p.Edges {
			for _, l := range e.Layers {
				fmt.Fprintf(&b, "\t%s\n", layerText(l))
			}
			if len(e.Layers) == 0 {
				fmt.Fprintf(&b, "\t×1 %s does not repeat %s\n", e.From.Name, e.To.Name)
			}
		}
	}
	if len(g.Paths) == 0 {
		b.WriteString("nothing is retried, and no method of a service is called\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (p *Path) title() string {
	var names []string
	for _, n := range p.Nodes() {
		names = append(names, n.Name)
	}
	return strings.Join(names, " -> ")
}

// verdict is the number of attempts with what CTX301 makes of it.
func (p *Path) verdict() string {
	text := p.Steady.Factors.String()
	if len(p.Steady.Factors) == 0 {
		text = "1"
	}
	if p.Product.Total() != p.Steady.Factors.Total() {
		text += fmt.Sprintf(" (%s if errors alternate)", p.Product)
	}
	if p.Reported {
		text += fmt.Sprintf(", %s (CTX301)", p.Severity)
	}
	return text
}

func layerText(l ctxflow.RetryStep) string {
	text := fmt.Sprintf("×%s %s", l.Attempts, l.Name)
	if l.Through != "" {
		text += " by " + l.Through
	}
	return fmt.Sprintf("%s (%s:%d)", text, l.Position.Filename, l.Position.Line)
}
