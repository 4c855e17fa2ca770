package ctxflow

import (
	_ "embed"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/analysis"

	"github.com/ctxprop/ctxprop/internal/catalog"
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
//
// The catalog is asked last and comes from a function: vet starts a process for
// every dependency, and most need no catalog to know that they are not own.
func isOwn(pass *analysis.Pass, cfg *Config, tables func() (*catalog.Catalog, error)) (bool, error) {
	if slices.Contains(cfg.Own, "all") {
		return true, nil
	}
	path := strings.TrimSuffix(pass.Pkg.Path(), "_test")
	if !cfg.names(path) && !liesWithOwn(pass, path) {
		return false, nil
	}
	c, err := tables()
	return err == nil && !c.HasPackage(path), err
}

// names reports whether -ctxflow.own names the package.
func (c *Config) names(path string) bool {
	return slices.ContainsFunc(c.Own, func(p string) bool {
		return path == p || strings.HasPrefix(path, strings.TrimSuffix(p, "/")+"/")
	})
}

// liesWithOwn is the part of the rule that goes by where the package lies.
func liesWithOwn(pass *analysis.Pass, path string) bool {
	file := firstFile(pass)
	if file == "" || inBuildCache(file) {
		return false
	}
	if m := pass.Module; m != nil && m.Path != "" {
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
