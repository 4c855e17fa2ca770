// Package configfile reads .ctxprop.yml, in which a repository says once how
// ctxprop is to be run on it. The file holds nothing that flags cannot say as
// well: the command makes its flags, and those of the analyzers, from it. No
// analyzer reads it, or the go command, which knows of flags only, would repeat
// results from before a change of the file.
package configfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/ctxprop/ctxprop/internal/catalog"
	"github.com/ctxprop/ctxprop/internal/finding"
)

// Name is the file's name.
const Name = ".ctxprop.yml"

// maxSize is the size in bytes from which on a file is no configuration.
const maxSize = 1 << 20

// File is what a configuration says. A zero field is a key that it leaves out.
type File struct {
	Severity  string
	Tests     *bool
	Tags      []string
	Own       []string
	Threshold int
	// Policy has absolute globs.
	Policy  finding.Policy
	Catalog []Line
}

// Line is a line for the catalog, and where it stands.
type Line struct {
	Text string
	Pos  catalog.Pos
}

// CatalogText is the lines as the catalog takes them, with their places.
func (f *File) CatalogText() string {
	var b strings.Builder
	for _, l := range f.Catalog {
		b.WriteString(catalog.LineDirective(l.Pos))
		b.WriteString(l.Text + "\n")
	}
	return b.String()
}

// Find returns the file that holds for dir, the nearest one from there upwards,
// or "". It looks no further than the root of the repository, or outside of one
// that of the workspace or module, and where there is none of these, in dir
// alone.
func Find(dir string) (string, error) {
	root := boundary(dir)
	for at := dir; ; at = filepath.Dir(at) {
		name := filepath.Join(at, Name)
		switch _, err := os.Stat(name); {
		case err == nil:
			return name, nil
		case !errors.Is(err, fs.ErrNotExist):
			return "", err
		}
		other := strings.TrimSuffix(name, "yml") + "yaml"
		if _, err := os.Stat(other); err == nil {
			return "", fmt.Errorf("%s is not read: call it %s", other, Name)
		}
		if at == root {
			return "", nil
		}
	}
}

// boundary is the last folder in which Find looks.
func boundary(dir string) string {
	for _, mark := range []string{".git", "go.work", "go.mod"} {
		for at := dir; ; at = filepath.Dir(at) {
			if _, err := os.Stat(filepath.Join(at, mark)); err == nil {
				return at
			}
			if at == filepath.Dir(at) {
				break
			}
		}
	}
	return dir
}

// Read reads a file. Messages call it shown and name the line of each mistake,
// one on a line.
func Read(name, shown string) (*File, error) {
	text, err := read(name)
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %v", shown, err)
	}
	abs, err := filepath.Abs(name)
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %v", shown, err)
	}
	return Parse(text, shown, filepath.Dir(abs))
}

func read(name string) ([]byte, error) {
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		return nil, errors.New("it is a directory")
	case err == nil && info.Size() > maxSize:
		return nil, fmt.Errorf("it has %d bytes, and a configuration has at most %d", info.Size(), maxSize)
	}
	var text []byte
	if err == nil {
		text, err = os.ReadFile(name)
	}
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		err = path.Err
	}
	return text, err
}

// Parse reads the text of a file that lies in dir and that messages call shown.
func Parse(text []byte, shown, dir string) (*File, error) {
	p := &parser{shown: shown, dir: dir, file: new(File)}
	dec := yaml.NewDecoder(bytes.NewReader(text))
	var doc, more yaml.Node
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return p.file, nil // nothing but comments
	case err != nil:
		return nil, p.syntax(err, string(text))
	}
	switch err := dec.Decode(&more); {
	case err == nil:
		p.complain(&more, "a second document begins here: one file has one")
	case !errors.Is(err, io.EOF):
		return nil, p.syntax(err, string(text))
	}
	return p.parse(doc.Content[0])
}

// ParseHosted reads the keys from values that another program has decoded from
// its own configuration, where they stand below a key that messages call shown.
// What that program decides itself, tests and tags, is refused. Globs may begin
// at any folder.
func ParseHosted(values any, shown string) (*File, error) {
	p := &parser{shown: shown, hosted: true, file: new(File)}
	var root yaml.Node
	if err := root.Encode(values); err != nil {
		return nil, fmt.Errorf("%s: %v", shown, err)
	}
	return p.parse(&root)
}

func (p *parser) parse(root *yaml.Node) (*File, error) {
	if !isNull(root) {
		p.mapping(root, "", rootKeys())
	}
	if err := errors.Join(p.errs...); err != nil {
		return nil, err
	}
	return p.file, nil
}
