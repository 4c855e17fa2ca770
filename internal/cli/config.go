package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"go/token"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/tools/go/analysis"

	"github.com/ctxprop/ctxprop/internal/finding"
	"github.com/ctxprop/ctxprop/internal/retry"
)

// maxConfig is the size in bytes from which on a file is no service config.
const maxConfig = 16 << 20

// configOptions is the command line of config.
type configOptions struct {
	options
	limit int
	files []string
}

// configFlagSet binds the flags of config to o.
func configFlagSet(o *configOptions) *flag.FlagSet {
	o.format = formats[0]
	fs := flag.NewFlagSet("ctxprop config", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Var(&o.format, "format", "print findings as `text`, json, sarif, github annotations, rdjsonl for reviewdog, or markdown for a summary")
	o.bindSeverity(fs)
	o.bindRules(fs)
	fs.IntVar(&o.limit, "max-attempts", 0, "the `number` that the clients are built with in grpc.WithMaxCallAttempts, if they are")
	return fs
}

// config checks files that hold a gRPC service config in JSON.
func (p *process) config(ctx context.Context, args []string) error {
	o := new(configOptions)
	fs := configFlagSet(o)
	if err := fs.Parse(args); errors.Is(err, flag.ErrHelp) {
		return p.helpOn(ctx, "config")
	} else if err != nil {
		return flagError(fs, err)
	}
	o.files = fs.Args()
	if len(o.files) == 0 {
		return usagef("config takes the names of files with a gRPC service config in JSON")
	}
	if err := o.configure(fs); err != nil {
		return err
	}
	dir, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("no working directory: %v", err)
	}
	r := &report{dir: dir, fset: token.NewFileSet()}
	for _, name := range o.files {
		found, err := configFindings(r.fset, dir, name, retry.Client{MaxCallAttempts: o.limit})
		if err != nil {
			return err
		}
		r.findings = append(r.findings, found...)
	}
	finding.Sort(r.findings)
	r.findings = o.shown(dedupe(r.findings)) // a file may be named twice
	if err := o.format.print(p.stdout, r); err != nil {
		return err
	}
	if len(r.findings) > 0 {
		return errFindings
	}
	return nil
}

// configFindings are those of one file, whose name is its home: nothing is
// known of the clients that it is for.
func configFindings(fset *token.FileSet, dir, name string, client retry.Client) ([]*finding.Finding, error) {
	path, err := filepath.Abs(name)
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %v", name, err)
	}
	text, err := readConfig(name)
	if err != nil {
		return nil, err
	}
	file := fset.AddFile(path, -1, len(text))
	if len(text) > 0 { // else not even the first line would be there
		file.SetLinesForContent(text)
	}
	var fs []*finding.Finding
	ordinals := map[finding.Code]int{}
	for _, p := range retry.ParseServiceConfig(string(text), client).Problems {
		home := filepath.ToSlash(relative(path, dir))
		f := &finding.Finding{
			ID:    finding.Identity{Code: p.Code, Home: home, Sink: "service config", Ordinal: ordinals[p.Code]},
			Grade: finding.GradeRequest, Severity: p.Severity,
			Pos: file.Pos(p.Start), End: file.Pos(p.End),
			Message: fmt.Sprintf("%s (%s)", p.Message, p.Code),
		}
		ordinals[p.Code]++
		f.Position, f.EndPosition = fset.Position(f.Pos), fset.Position(f.End)
		if p.Edits != nil {
			f.Fixes = []analysis.SuggestedFix{{Message: p.Fix, TextEdits: textEdits(file, p.Edits)}}
		}
		fs = append(fs, f)
	}
	return fs, nil
}

func readConfig(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err == nil && info.Size() > maxConfig {
		err = fmt.Errorf("it has %d bytes, and a service config has at most %d: name the right file", info.Size(), maxConfig)
	}
	if err == nil && info.IsDir() {
		err = errors.New("it is a directory: name the files in it")
	}
	var text []byte
	if err == nil {
		text, err = os.ReadFile(name)
	}
	if path, ok := errors.AsType[*os.PathError](err); ok {
		err = path.Err
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %v", name, err)
	}
	return text, nil
}

func textEdits(file *token.File, edits []retry.Edit) []analysis.TextEdit {
	var out []analysis.TextEdit
	for _, e := range edits {
		out = append(out, analysis.TextEdit{Pos: file.Pos(e.Start), End: file.Pos(e.End), NewText: []byte(e.New)})
	}
	return out
}
