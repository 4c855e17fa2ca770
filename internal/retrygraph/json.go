package retrygraph

import (
	"encoding/json"
	"io"

	"github.com/ctxprop/ctxprop/internal/ctxflow"
	"github.com/ctxprop/ctxprop/internal/finding"
	"github.com/ctxprop/ctxprop/internal/retry"
)

// schemaVersion is the version of the JSON. It changes when a field disappears
// or changes its meaning, not when one is added.
const schemaVersion = 1

type jsonGraph struct {
	Version int        `json:"version"`
	Nodes   []jsonNode `json:"nodes"`
	Edges   []jsonEdge `json:"edges"`
	Paths   []jsonPath `json:"paths"` // the most attempts first
}

type jsonNode struct {
	ID   string `json:"id"`
	Kind Kind   `json:"kind"`
	Name string `json:"name"`
	Key  string `json:"key"`
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
}

type jsonEdge struct {
	From   string       `json:"from"`
	To     string       `json:"to"`
	Factor jsonAttempts `json:"factor"`
	Layers []jsonLayer  `json:"layers"`
}

type jsonLayer struct {
	Func     string       `json:"func"`
	Through  string       `json:"through,omitempty"`
	Attempts jsonAttempts `json:"attempts"`
	File     string       `json:"file"`
	Line     int          `json:"line"`
}

// jsonAttempts is a number of attempts. Most is null if there is no bound, or
// none that is known; Text says which.
type jsonAttempts struct {
	Text  string `json:"text"`
	Least int    `json:"least"`
	Most  *int   `json:"most"`
}

// jsonPath has its edges by their place in the list, from 0. Steady is for one
// and the same error each time, Alternating for errors that alternate.
type jsonPath struct {
	Edges       []int        `json:"edges"`
	Steady      jsonProduct  `json:"steady"`
	Cause       string       `json:"cause,omitempty"` // the error
	Alternating jsonProduct  `json:"alternating"`
	Code        finding.Code `json:"code,omitempty"` // CTX301 if it is reported
	Severity    string       `json:"severity,omitempty"`
}

type jsonProduct struct {
	Factors []jsonAttempts `json:"factors"` // of the layers, the outermost first
	Total   jsonAttempts   `json:"total"`
}

// WriteJSON prints the graph as one object.
func WriteJSON(w io.Writer, g *Graph) error {
	out := jsonGraph{Version: schemaVersion, Nodes: []jsonNode{}, Edges: []jsonEdge{}, Paths: []jsonPath{}}
	for _, n := range g.Nodes {
		out.Nodes = append(out.Nodes, jsonNode{n.ID, n.Kind, n.Name, n.Key, n.File, n.Line})
	}
	index := make(map[*Edge]int)
	for i, e := range g.Edges {
		index[e] = i
		out.Edges = append(out.Edges, jsonEdge{e.From.ID, e.To.ID, attempts(e.Total()), jsonLayers(e.Layers)})
	}
	for _, p := range g.Paths {
		jp := jsonPath{Steady: product(p.Steady.Factors), Alternating: product(p.Product)}
		for _, e := range p.Edges {
			jp.Edges = append(jp.Edges, index[e])
		}
		if p.Steady.Factors.Total() != retry.Exactly(1) {
			jp.Cause = p.Steady.Cause.String()
		}
		if p.Reported {
			jp.Code, jp.Severity = finding.NestedRetry, p.Severity.String()
		}
		out.Paths = append(out.Paths, jp)
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "\t")
	return enc.Encode(out)
}

func jsonLayers(steps []ctxflow.RetryStep) []jsonLayer {
	out := []jsonLayer{}
	for _, l := range steps {
		out = append(out, jsonLayer{l.Name, l.Through, attempts(l.Attempts), l.Position.Filename, l.Position.Line})
	}
	return out
}

func attempts(a retry.Attempts) jsonAttempts {
	out := jsonAttempts{Text: a.String(), Least: a.Least()}
	if a.IsUnbounded() {
		out.Least = 1
	}
	if n, ok := a.Most(); ok {
		out.Most = &n
	}
	return out
}

func product(p retry.Product) jsonProduct {
	out := jsonProduct{Factors: []jsonAttempts{}, Total: attempts(p.Total())}
	for _, a := range p {
		out.Factors = append(out.Factors, attempts(a))
	}
	return out
}
