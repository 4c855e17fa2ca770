package cli

import "fmt"

// The exit codes, other than 0 for a clean run. They follow the drivers of
// go/analysis, which also say 3 for findings, so that a script can tell a
// program with findings from a program that could not be analysed.
const (
	exitFailure  = 1
	exitUsage    = 2
	exitFindings = 3
)

// exitError is an error that knows its exit code.
type exitError struct {
	code int
	text string
}

func (e *exitError) Error() string { return e.text }

// errFindings ends a run that found something. It has no text: the findings
// on stdout have said it all.
var errFindings = &exitError{code: exitFindings}

// usagef is a mistake on the command line.
func usagef(format string, args ...any) error {
	return &exitError{code: exitUsage, text: fmt.Sprintf(format, args...)}
}
