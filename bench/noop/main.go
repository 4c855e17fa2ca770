// Noop is an analysis tool that looks at nothing. What it costs is what the
// driver costs: loading and type-checking as a command, and the vet protocol
// with an empty pass over every dependency as a vettool.
package main

import (
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/multichecker"
)

func main() {
	multichecker.Main(&analysis.Analyzer{
		Name:      "noop",
		Doc:       "noop: report nothing\n\nIt has a fact type, as ctxprop has, so that it is run on dependencies too.",
		FactTypes: []analysis.Fact{new(fact)},
		Run:       func(*analysis.Pass) (any, error) { return nil, nil },
	})
}

type fact struct{}

func (*fact) AFact() {}
