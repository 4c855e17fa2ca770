package cli

import "github.com/ctxprop/ctxprop/internal/spell"

// didYouMean is the nearest candidate as the end of an error message.
func didYouMean(name string, candidates []string) string {
	if near := spell.Nearest(name, candidates); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}
