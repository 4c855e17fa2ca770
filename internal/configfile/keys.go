package configfile

import (
	"go.yaml.in/yaml/v3"

	"github.com/ctxprop/ctxprop/internal/finding"
)

// key is a key of the file. The file's parser, its schema, what init writes and
// the documentation are made from the tables of keys.
type key struct {
	name    string
	doc     string // sentences
	schema  schema
	example string // YAML, with the key; none of its lines is empty
	// host is what to set instead where another program, which loads the code,
	// takes the keys into its own configuration.
	host string
	read func(*parser, *yaml.Node)
}

// rootKeys are the keys of the file itself.
func rootKeys() []key {
	return []key{
		{
			name:    "severity",
			doc:     "Show, and count for the exit code, findings from this severity on: error, warning or info.",
			schema:  enum("error", "warning", "info"),
			example: "severity: warning",
			read:    readSeverity,
		},
		{
			name:    "codes",
			doc:     "Turn codes off, or report them as error, warning or info. all stands for those not named.",
			schema:  codesSchema(),
			example: "codes:\n  CTX311: off\n  CTX206: warning",
			read:    readCodes,
		},
		{
			name: "paths",
			doc: "The same for some files, named relative to this file. A folder stands for all below it, " +
				"** for any number of folders, on for what the table of codes says. The last item that matches holds.",
			schema:  schema{"type": "array", "items": object(pathKeys(nil, nil), "path", "codes")},
			example: "paths:\n  - path: internal/legacy\n    codes: {all: info, CTX203: off}\n  - path: [\"**/*_mock.go\", tools]\n    codes: {all: off}",
			read:    readPaths,
		},
		{
			name:    "threshold",
			doc:     "Report retries over one another from this product of attempts on.",
			schema:  schema{"type": "integer", "minimum": 2},
			example: "threshold: 9",
			read:    readThreshold,
		},
		{
			name:    "own",
			doc:     "Import paths, with all below them, of modules that are your own although they come as dependencies.",
			schema:  listOf(schema{"type": "string"}),
			example: "own: [example.com/platform]",
			read:    plainList("own", func(f *File) *[]string { return &f.Own }),
		},
		{
			name: "catalog",
			doc: "What ctxprop cannot see in libraries, one line each: your own blocking call, one that has a twin " +
				"with a context, a helper that retries, a handler, a constructor of something long-lived.",
			schema: listOf(schema{"type": "string"}),
			example: "catalog:\n" +
				"  - block example.com/platform/bus.Publish class=queue\n" +
				"  - twin example.com/platform/kv.Get use=GetContext class=cache\n" +
				"  - handler example.com/platform/jobs.Func\n" +
				"  - quiet example.com/platform/audit.NewRecorder\n" +
				"  - retry example.com/platform/again.Do attempts=3",
			read: readCatalog,
		},
		{
			name:    "tests",
			doc:     "Analyse test files too.",
			schema:  schema{"type": "boolean"},
			example: "tests: true",
			host:    "run.tests",
			read:    readTests,
		},
		{
			name:    "tags",
			doc:     "Build tags.",
			schema:  listOf(schema{"type": "string"}),
			example: "tags: [integration]",
			host:    "run.build-tags",
			read:    plainList("tags", func(f *File) *[]string { return &f.Tags }),
		},
	}
}

// Keys lists the keys of the file.
func Keys() []string {
	var names []string
	for _, k := range rootKeys() {
		names = append(names, k.name)
	}
	return names
}

// pathKeys are the keys of an item of paths.
func pathKeys(path, codes func(*parser, *yaml.Node)) []key {
	return []key{
		{name: "path", doc: "Files, relative to the folder of the configuration.", schema: listOf(schema{"type": "string"}), read: path},
		{name: "codes", doc: "What holds in them.", schema: codesSchema(), read: codes},
	}
}

func codesSchema() schema {
	level := enum()
	for _, l := range finding.Levels {
		level["enum"] = append(level["enum"].([]string), string(l))
	}
	keys := []key{{name: finding.AllCodes, doc: "All codes that are not named.", schema: level}}
	for _, r := range finding.Rules() {
		keys = append(keys, key{name: string(r.Code), doc: r.Name + ": " + r.Summary + ".", schema: level})
	}
	return object(keys)
}
