package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A hit is one finding of one tool.
type hit struct {
	file, function string // relative to the checkout; the declaration it is in
	line           int
	message        string
	code, grade    string // ctxprop's own
}

// find runs one tool for its findings, each once: a package and its test
// variant have the same.
func (s *site) find(ctx context.Context, t tool) ([]hit, error) {
	args, parse := []string{t.binary, "-json", s.packages}, parseDiagnostics
	switch {
	case t.name == self:
		args, parse = []string{t.binary, "-format", "json", "-severity", "info", s.packages}, parseOwn
	case !t.command:
		args = []string{"go", "vet", "-vettool=" + t.binary, "-json", s.packages}
	}
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir, cmd.Env = s.dir, withCache(s.compiled)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if cmd.ProcessState == nil || broken(cmd.ProcessState.ExitCode(), args[0] == "go") {
		return nil, fmt.Errorf("%v: %w\n%s", args, err, tail(stderr.Bytes()))
	}
	hits, err := parse(stdout.Bytes())
	if !t.command && err == nil {
		// Vettools linked with x/tools before 0.38 write findings where Go 1.26
		// takes them for a build's noise.
		var noise []hit
		noise, err = parse(stderr.Bytes())
		hits = append(hits, noise...)
	}
	if err != nil {
		return nil, fmt.Errorf("%v: %w", args, err)
	}
	return s.tidy(hits)
}

// parseOwn reads what ctxprop -format json prints.
func parseOwn(output []byte) ([]hit, error) {
	var report struct {
		Findings []struct {
			Code, Grade, Message string
			Position             struct {
				File string
				Line int
			}
		}
	}
	if err := json.Unmarshal(output, &report); err != nil {
		return nil, err
	}
	var hits []hit
	for _, f := range report.Findings {
		hits = append(hits, hit{file: f.Position.File, line: f.Position.Line, message: f.Message, code: f.Code, grade: f.Grade})
	}
	return hits, nil
}

// parseDiagnostics reads what drivers of x/tools print with -json, one object
// after the other, between the lines with which go vet names the packages.
func parseDiagnostics(output []byte) ([]hit, error) {
	var text []byte
	for line := range bytes.Lines(output) {
		if !bytes.HasPrefix(line, []byte("#")) {
			text = append(text, line...)
		}
	}
	var hits []hit
	dec := json.NewDecoder(bytes.NewReader(text))
	for {
		var packages map[string]map[string]json.RawMessage
		if err := dec.Decode(&packages); errors.Is(err, io.EOF) {
			return hits, nil
		} else if err != nil {
			return nil, err
		}
		for pkg, analyzers := range packages {
			for _, raw := range analyzers {
				var diagnostics []struct{ Posn, Message string }
				if err := json.Unmarshal(raw, &diagnostics); err != nil {
					return nil, fmt.Errorf("%s: %s", pkg, raw) // the analyzer's own failure
				}
				for _, d := range diagnostics {
					file, line := splitPosn(d.Posn)
					hits = append(hits, hit{file: file, line: line, message: d.Message})
				}
			}
		}
	}
}

// splitPosn reads file:line:column, of which a tool may have given none ("-").
func splitPosn(posn string) (file string, line int) {
	rest, _, _ := cutLast(posn)
	file, number, ok := cutLast(rest)
	if !ok {
		return posn, 0
	}
	line, _ = strconv.Atoi(number)
	return file, line
}

func cutLast(s string) (before, after string, ok bool) {
	i := strings.LastIndexByte(s, ':')
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+1:], true
}

// tidy makes names relative, names the functions, and drops repeats.
func (s *site) tidy(hits []hit) ([]hit, error) {
	functions := map[string]declarations{}
	for i := range hits {
		h := &hits[i]
		if filepath.IsAbs(h.file) {
			rel, err := filepath.Rel(s.dir, h.file)
			if err != nil {
				return nil, err
			}
			h.file = rel
		}
		h.file = filepath.ToSlash(h.file)
		if h.line == 0 {
			continue // contextcheck has findings without a place
		}
		ds, ok := functions[h.file]
		if !ok {
			var err error
			if ds, err = declarationsOf(filepath.Join(s.dir, h.file)); err != nil {
				return nil, err
			}
			functions[h.file] = ds
		}
		h.function = ds.at(h.line)
	}
	slices.SortFunc(hits, compareHits)
	return slices.Compact(hits), nil
}
