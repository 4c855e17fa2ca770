package cli

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ctxprop/ctxprop/internal/finding"
)

// published are the schemas of what -format json prints, by file.
var published = map[string]struct {
	command string
	report  reflect.Type
	version int
}{
	"findings.json": {"check", reflect.TypeFor[jsonReport](), schemaVersion},
	"gate.json":     {"gate", reflect.TypeFor[jsonComparison](), comparisonVersion},
	"fix.json":      {"fix", reflect.TypeFor[jsonFixReport](), schemaVersion},
}

// TestPublishedSchemas: the published schemas are those of the types which are
// printed, with their comments.
func TestPublishedSchemas(t *testing.T) {
	docs := fieldDocs(t, "json.go", "gateformat.go", "fixreport.go", "../finding/finding.go")
	for file, of := range published {
		s := &schemaMaker{docs: docs, defs: map[string]any{}}
		root := s.object(of.report)
		root["$schema"] = "http://json-schema.org/draft-07/schema#"
		root["$id"] = "https://raw.githubusercontent.com/ctxprop/ctxprop/main/schema/" + file
		root["title"] = "ctxprop " + of.command + " -format json"
		root["definitions"] = s.defs
		root["properties"].(map[string]any)["version"].(map[string]any)["const"] = of.version
		var want bytes.Buffer
		enc := json.NewEncoder(&want)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		if err := enc.Encode(root); err != nil {
			t.Fatal(err)
		}
		name := "../../schema/" + file
		if *update {
			if err := os.WriteFile(name, want.Bytes(), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(name)
		if err != nil || !bytes.Equal(got, want.Bytes()) {
			t.Errorf("%s is not current: go test ./internal/cli -run TestPublishedSchemas -update (%v)", name, err)
		}
	}
}

// schemaMaker makes JSON schemas of types as encoding/json prints them. Fields
// may be added to what is printed, so schemas do not forbid others.
type schemaMaker struct {
	docs map[string]string // TYPE.FIELD to its comment
	defs map[string]any
}

func (s *schemaMaker) of(t reflect.Type) map[string]any {
	switch t {
	case reflect.TypeFor[finding.Code]():
		return map[string]any{"type": "string", "pattern": "^CTX[0-9]{3}$"}
	case reflect.TypeFor[finding.Severity]():
		return map[string]any{"enum": []string{"error", "warning", "info"}}
	case reflect.TypeFor[finding.Grade]():
		return map[string]any{"enum": []string{"R", "C"}}
	}
	switch t.Kind() {
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Int:
		return map[string]any{"type": "integer"}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Slice:
		return map[string]any{"type": "array", "items": s.of(t.Elem())}
	case reflect.Pointer:
		return s.of(t.Elem())
	}
	name := strings.TrimPrefix(t.Name(), "json")
	if s.defs[name] == nil {
		s.defs[name] = s.object(t)
	}
	return map[string]any{"$ref": "#/definitions/" + name}
}

func (s *schemaMaker) object(t reflect.Type) map[string]any {
	properties, required := map[string]any{}, []string{}
	for f := range t.Fields() {
		if f.Anonymous { // its fields are printed as those of t
			of := s.object(f.Type)
			maps.Copy(properties, of["properties"].(map[string]any))
			required = append(required, of["required"].([]string)...)
			continue
		}
		name, option, _ := strings.Cut(f.Tag.Get("json"), ",")
		schema := s.of(f.Type)
		if doc := s.docs[t.Name()+"."+f.Name]; doc != "" {
			if ref := schema["$ref"]; ref != nil { // nothing may stand beside it
				schema = map[string]any{"allOf": []any{schema}}
			}
			schema["description"] = doc
		}
		properties[name] = schema
		if option == "" {
			required = append(required, name)
		}
	}
	slices.Sort(required)
	object := map[string]any{"type": "object", "properties": properties, "required": required}
	if doc := s.docs[t.Name()]; doc != "" {
		object["description"] = strings.TrimPrefix(doc, "json")
	}
	return object
}

// fieldDocs reads the comments of the types of files and of their fields.
func fieldDocs(t *testing.T, files ...string) map[string]string {
	t.Helper()
	docs := map[string]string{}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			decl, ok := n.(*ast.GenDecl)
			if !ok || decl.Tok != token.TYPE {
				return true
			}
			for _, spec := range decl.Specs {
				spec := spec.(*ast.TypeSpec)
				docs[spec.Name.Name] = oneLine(decl.Doc)
				if st, ok := spec.Type.(*ast.StructType); ok {
					for _, f := range st.Fields.List {
						for _, id := range f.Names {
							docs[spec.Name.Name+"."+id.Name] = oneLine(f.Comment)
						}
					}
				}
			}
			return true
		})
	}
	return docs
}

func oneLine(c *ast.CommentGroup) string { return strings.Join(strings.Fields(c.Text()), " ") }
