// Package golangci makes ctxprop a module plugin of golangci-lint. Whoever
// builds a golangci-lint imports it for its effect:
//
//	import _ "github.com/ctxprop/ctxprop/golangci"
//
// The settings of the linter are the keys of .ctxprop.yml, but for tests and
// tags, which golangci-lint has keys of its own for.
package golangci

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"

	"github.com/ctxprop/ctxprop"
	"github.com/ctxprop/ctxprop/internal/configfile"
	"github.com/ctxprop/ctxprop/internal/guard"
)

// Name is the linter's name, in the configuration and in nolint comments.
const Name = "ctxprop"

func init() { register.Plugin(Name, New) }

// plugin is one configured linter.
type plugin struct{ settings *configfile.File }

// New reads the linter's settings, as golangci-lint has decoded them; nil for
// none. The error says all that is wrong with them.
func New(settings any) (register.LinterPlugin, error) {
	f, err := configfile.ParseHosted(settings, "settings")
	if err != nil {
		return nil, err
	}
	return &plugin{f}, nil
}

// GetLoadMode asks for types. golangci-lint then loads those of dependencies
// from export data wherever it has their facts.
func (*plugin) GetLoadMode() string { return register.LoadModeTypesInfo }

// BuildAnalyzers returns a linter that shares no state with that of another
// plugin or of another call.
func (p *plugin) BuildAnalyzers() ([]*analysis.Analyzer, error) {
	s := p.settings
	suite := ctxprop.New(ctxprop.Options{Own: s.Own, Catalog: s.CatalogText()})
	flags := map[string]string{"severity": s.Severity, "codes": s.Policy.String()}
	if s.Threshold != 0 {
		flags["threshold"] = strconv.Itoa(s.Threshold)
	}
	for name, value := range flags {
		if value == "" {
			continue
		}
		if err := ctxprop.SetFlag(suite, name, value); err != nil {
			return nil, fmt.Errorf("settings: %w", err)
		}
	}
	return []*analysis.Analyzer{merge(guard.Analyzers(suite))}, nil
}

// merge makes one analyzer, with the linter's name, of those of a suite that
// report. golangci-lint writes the name of any other before each message.
//
// What else golangci-lint makes of a diagnostic asks for nothing more here: it
// shows related information as further issues, and takes all suggested fixes at
// once, those edits of them that lie in the diagnostic's file, without removing
// imports. Findings have no related information and at most one fix, which
// edits one file and its imports.
func merge(suite []*analysis.Analyzer) *analysis.Analyzer {
	var reporters, required []*analysis.Analyzer
	for _, a := range suite {
		if a.Requires == nil {
			continue // ctxflow, which the others require
		}
		reporters = append(reporters, a)
		for _, r := range a.Requires {
			if !slices.Contains(required, r) {
				required = append(required, r)
			}
		}
	}
	return &analysis.Analyzer{
		Name:     Name,
		Doc:      "keep the deadlines of requests alive: lost contexts, waits that cannot end, retries that multiply",
		URL:      "https://github.com/ctxprop/ctxprop/blob/main/docs/rules.md",
		Requires: required,
		Run: func(pass *analysis.Pass) (any, error) {
			for _, a := range reporters {
				of := *pass
				of.Analyzer = a
				if _, err := a.Run(&of); err != nil {
					return nil, err
				}
			}
			return nil, nil
		},
	}
}
