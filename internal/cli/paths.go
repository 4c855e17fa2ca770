package cli

import (
	"bytes"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf16"
)

// relative returns path as seen from dir, if it lies below it.
func relative(path, dir string) string {
	rel, err := filepath.Rel(dir, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return path
	}
	return rel
}

// repositoryRoot is the nearest directory from dir upwards that holds .git, or
// dir itself: code hosts know files by their place in the repository.
func repositoryRoot(dir string) string {
	for at := dir; ; {
		if _, err := os.Stat(filepath.Join(at, ".git")); err == nil {
			return at
		}
		up := filepath.Dir(at)
		if up == at {
			return dir
		}
		at = up
	}
}

// lineReader converts columns. It keeps the files that it has read.
type lineReader struct {
	files map[string][][]byte
}

func newLineReader() *lineReader { return &lineReader{files: map[string][][]byte{}} }

// utf16Column is a position's column in UTF-16 code units, from 1. Go counts
// bytes; without the file, that is what is returned.
func (l *lineReader) utf16Column(pos token.Position) int {
	lines, ok := l.files[pos.Filename]
	if !ok {
		text, _ := os.ReadFile(pos.Filename) // a file that has gone has no columns to convert
		lines = bytes.Split(text, []byte("\n"))
		l.files[pos.Filename] = lines
	}
	if pos.Line < 1 || pos.Line > len(lines) || pos.Column < 1 || pos.Column-1 > len(lines[pos.Line-1]) {
		return pos.Column
	}
	return 1 + len(utf16.Encode([]rune(string(lines[pos.Line-1][:pos.Column-1]))))
}
