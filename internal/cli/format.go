package cli

import (
	"bufio"
	"fmt"
	"go/token"
	"io"
	"strings"

	"github.com/ctxprop/ctxprop/internal/finding"
)

// report is what a format renders.
type report struct {
	env      []string // of the process
	dir      string   // file names below it are printed relative to it
	fset     *token.FileSet
	findings []*finding.Finding          // in the order in which they are printed
	states   map[*finding.Finding]string // what a comparison says of them, in SARIF's words; nil without one
}

// format is a way to print findings, and a flag value.
type format struct {
	name  string
	write func(io.Writer, *report) error
}

// formats has the default first.
var formats = []format{
	{"text", writeText}, {"json", writeJSON}, {"sarif", writeSARIF}, {"github", writeGitHub}, {"rdjsonl", writeRDJSONL},
	{"markdown", writeMarkdown},
}

func (f *format) String() string { return f.name }

func (f *format) Set(name string) error {
	var names []string
	for _, known := range formats {
		if known.name == name {
			*f = known
			return nil
		}
		names = append(names, known.name)
	}
	return unknownFormat(name, names)
}

func unknownFormat(name string, names []string) error {
	hint := didYouMean(name, names)
	if hint == "" {
		hint = ": use one of " + strings.Join(names, ", ")
	}
	return fmt.Errorf("unknown format%s", hint)
}

// print renders r, all of it or an error.
func (f *format) print(w io.Writer, r *report) error {
	buf := bufio.NewWriter(w)
	if err := f.write(buf, r); err != nil {
		return fmt.Errorf("cannot write the findings: %v", err)
	}
	if err := buf.Flush(); err != nil {
		return fmt.Errorf("cannot write the findings: %v", err)
	}
	return nil
}
