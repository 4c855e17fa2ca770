package ctxflow

import (
	_ "embed"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/analysis"
)

// prefixList is a flag value: a comma-separated list.
type prefixList []string

func (p *prefixList) String() string { return strings.Join(*p, ",") }

func (p *prefixList) Set(s string) error {
	*p = slices.DeleteFunc(strings.Split(s, ","), func(e string) bool { return e == "" })
	return nil
}

// isOwn says whether the pass's package is the user's own code, by one rule in
// every driver: a catalogued package is not; one named by -ctxflow.own is; one
// generated into the build cache is not; with a known module, the one without
// a version is; without a module (go vet's std, Bazel), what is neither std
// nor vendored, external or in the module cache.
func (e *engine) isOwn() bool {
	path := strings.TrimSuffix(e.pass.Pkg.Path(), "_test")
	if slices.Contains(e.cfg.Own, "all") {
		return true
	}
	if e.catalog.HasPackage(path) {
		return false
	}
	for _, p := range e.cfg.Own {
		if path == p || strings.HasPrefix(path, strings.TrimSuffix(p, "/")+"/") {
			return true
		}
	}
	file := firstFile(e.pass)
	if file == "" || inBuildCache(file) {
		return false
	}
	if m := e.pass.Module; m != nil && m.Path != "" {
		return m.Version == ""
	}
	return !isStd(path) && !isForeignPath(file)
}

// firstFile is the package's first file that is not in the build cache, or any
// if all are. The files that cgo has processed lie in the cache and name, in
// line directives, those that they were made from.
func firstFile(pass *analysis.Pass) string {
	name := ""
	for _, f := range pass.Files {
		name = filepath.ToSlash(pass.Fset.Position(f.Package).Filename)
		if name != "" && !inBuildCache(name) {
			break
		}
	}
	return name
}

// buildCacheDir matches the two-digit hash directories of GOCACHE, where go
// build puts generated files such as test mains and cgo output.
var buildCacheDir = regexp.MustCompile(`/[0-9a-f]{2}/[0-9a-f]{64}-d/|/go-build[^/]*/([0-9a-f]{2}/|b[0-9]+/)`)

func inBuildCache(file string) bool { return buildCacheDir.MatchString(file) }

// foreignDir matches the places where the code of others lies.
var foreignDir = regexp.MustCompile(`(^|/)(vendor|external)/|@v[0-9]`)

func isForeignPath(file string) bool { return foreignDir.MatchString(file) }

// isStd reports whether an import path is the standard library's.
func isStd(path string) bool {
	_, found := slices.BinarySearch(stdPackages(), path)
	return found || strings.HasPrefix(path, "vendor/")
}

// stdList is what `go list std` prints.
//
//go:embed std.txt
var stdList string

var stdPackages = sync.OnceValue(func() []string {
	list := strings.Fields(stdList)
	slices.Sort(list)
	return list
})
