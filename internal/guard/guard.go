// Package guard keeps the panics of an analyzer from its driver.
package guard

import (
	"fmt"
	"runtime"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// Error is a panic of an analyzer.
type Error struct {
	analyzer, pkg string
	value, site   string
}

func (e *Error) Error() string {
	return fmt.Sprintf("internal error in %s, package %s: %s (in %s); please report it at https://github.com/ctxprop/ctxprop/issues",
		e.analyzer, e.pkg, e.value, e.site)
}

// Analyzers makes each analyzer return a panic as an error that names the package
// and where it happened. The drivers of go/analysis let a panic through: it
// would print thousands of lines of goroutines and take the findings of all
// other packages with it. The analyzers are changed in place, because others
// of the set refer to them.
func Analyzers(analyzers []*analysis.Analyzer) []*analysis.Analyzer {
	for _, a := range analyzers {
		run := a.Run
		a.Run = func(pass *analysis.Pass) (result any, err error) {
			defer func() {
				if r := recover(); r != nil {
					result, err = nil, &Error{a.Name, pass.Pkg.Path(), fmt.Sprint(r), panicSite()}
				}
			}()
			return run(pass)
		}
	}
	return analyzers
}

// panicSite returns the function and line that panicked. It must be called by
// the deferred function that recovers.
func panicSite() string {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	panicking := false
	for {
		frame, more := frames.Next()
		switch {
		case strings.HasPrefix(frame.Function, "runtime."):
			panicking = panicking || frame.Function == "runtime.gopanic"
		case panicking:
			file := frame.File[strings.LastIndexByte(frame.File, '/')+1:]
			return fmt.Sprintf("%s, %s:%d", frame.Function, file, frame.Line)
		}
		if !more {
			return "unknown function"
		}
	}
}
