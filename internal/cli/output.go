package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/ctxprop/ctxprop/internal/rewrite"
)

// output is a file that gets an outcome besides what is printed, in a format of
// its own.
type output[T any] struct {
	file  string
	write func(io.Writer, T) error
}

// outputText is the help on the flag for it.
const outputText = "write the outcome to a file as well, in a format of its own: `format=file`, such as sarif=ctxprop.sarif; may be repeated"

// splitOutput reads the value of the flag.
func splitOutput(text string) (format, file string, err error) {
	format, file, ok := strings.Cut(text, "=")
	if !ok || file == "" {
		return "", "", errors.New("want FORMAT=FILE")
	}
	return format, file, nil
}

// writeOutputs writes the files, each as a whole or not at all. They come before
// what is printed: whoever has read that to its end finds them there.
func writeOutputs[T any](outputs []output[T], r *report, what T) error {
	for _, o := range outputs {
		var text bytes.Buffer
		if err := o.write(&text, what); err != nil {
			return fmt.Errorf("cannot write %s: %v", o.file, err)
		}
		if err := rewrite.Create(r.inDir(o.file), text.String()); err != nil {
			return fmt.Errorf("cannot write the outcome: %v", err)
		}
	}
	return nil
}

// inDir is the file with the name as seen from the directory of the run.
func (r *report) inDir(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(r.dir, name)
}
