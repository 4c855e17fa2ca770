package cli

import (
	"path/filepath"
	"strings"
)

// relative returns path as seen from dir, if it lies below it.
func relative(path, dir string) string {
	rel, err := filepath.Rel(dir, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return path
	}
	return rel
}
