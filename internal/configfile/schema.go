package configfile

import (
	"bytes"
	"encoding/json"
	"maps"
	"strings"
)

// SchemaURL is where the schema of the file is published.
const SchemaURL = "https://raw.githubusercontent.com/ctxprop/ctxprop/main/schema/config.json"

// schema is a JSON schema or a part of one.
type schema map[string]any

func enum(values ...string) schema { return schema{"enum": append([]string{}, values...)} }

// listOf is a list of items, or one item without brackets.
func listOf(item schema) schema {
	return schema{"anyOf": []schema{item, {"type": "array", "items": item}}}
}

func object(keys []key, required ...string) schema {
	properties := schema{}
	for _, k := range keys {
		property := maps.Clone(k.schema)
		property["description"] = k.doc
		properties[k.name] = property
	}
	s := schema{"type": "object", "additionalProperties": false, "properties": properties}
	if required != nil {
		s["required"] = required
	}
	return s
}

// Schema is the JSON schema of the file, for editors.
func Schema() ([]byte, error) {
	s := object(rootKeys())
	s["$schema"] = "http://json-schema.org/draft-07/schema#"
	s["$id"] = SchemaURL
	s["title"] = Name
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(s)
	return b.Bytes(), err
}

const templateHead = `# yaml-language-server: $schema=` + SchemaURL + `
#
# How ctxprop is run here. It reads the nearest ` + Name + ` from the working
# directory upwards, within the repository; flags on the command line win over
# it. As it stands it changes nothing: take the # away from what you want.
`

// Template is a file that changes nothing, with every key in a comment.
func Template() string {
	var b strings.Builder
	b.WriteString(templateHead)
	for _, k := range rootKeys() {
		b.WriteString("\n" + comment("# ", wrap(k.doc, 78)) + comment("#", k.example))
	}
	return b.String()
}

// comment puts a prefix before each line.
func comment(prefix, text string) string {
	return prefix + strings.ReplaceAll(text, "\n", "\n"+prefix) + "\n"
}

// wrap breaks text into lines of at most width bytes.
func wrap(text string, width int) string {
	var b strings.Builder
	column := 0
	for word := range strings.FieldsSeq(text) {
		switch {
		case column == 0:
		case column+1+len(word) > width:
			b.WriteByte('\n')
			column = 0
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	return b.String()
}
