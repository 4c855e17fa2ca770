package prove

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Overlay is a set of files that the go command is to compile in place of
// those in the tree.
type Overlay struct {
	files map[string]overlaid // by absolute name
	json  string              // file for -overlay
}

type overlaid struct {
	content string
	canary  string
	backing string // the file that holds the content
}

// NewOverlay writes files, contents by absolute name, into the directory dir,
// which is the overlay's own: the go command mangles the position of a compile
// error if the backing file shares a prefix with the package. Every file gets a
// canary; see [Overlay.Missing].
func NewOverlay(dir string, files map[string]string) (*Overlay, error) {
	return newOverlay(dir, files, withCanary)
}

// NewQuietOverlay is [NewOverlay] for what is analysed and not run: its files
// have no canaries.
func NewQuietOverlay(dir string, files map[string]string) (*Overlay, error) {
	return newOverlay(dir, files, func(content, _ string) string { return content })
}

func newOverlay(dir string, files map[string]string, mark func(content, canary string) string) (*Overlay, error) {
	o := &Overlay{files: make(map[string]overlaid), json: filepath.Join(dir, "overlay.json")}
	backing := make(map[string]string)
	for i, name := range slices.Sorted(maps.Keys(files)) {
		f := overlaid{canary: canary(name, files[name]), backing: filepath.Join(dir, fmt.Sprintf("%d_%s", i, filepath.Base(name)))}
		f.content = mark(files[name], f.canary)
		if err := os.WriteFile(f.backing, []byte(f.content), 0o666); err != nil {
			return nil, err
		}
		o.files[name], backing[name] = f, f.backing
	}
	text, err := json.Marshal(map[string]any{"Replace": backing})
	if err != nil {
		return nil, err
	}
	return o, os.WriteFile(o.json, text, 0o666)
}

// Flag is the build flag for the go command.
func (o *Overlay) Flag() string { return "-overlay=" + o.json }

// Content returns what the overlay has for the file with the absolute name.
func (o *Overlay) Content(name string) (string, bool) {
	f, ok := o.files[name]
	return f.content, ok
}

// original puts the names of the tree's files back into what the compiler says,
// which names the files that it read; the go command shortens their names if
// they are shorter seen from the directory that it runs in.
func (o *Overlay) original(message, dir string) string {
	for name, f := range o.files {
		message = strings.ReplaceAll(message, f.backing, name)
		if rel, err := filepath.Rel(dir, f.backing); err == nil {
			message = strings.ReplaceAll(message, rel, name)
		}
	}
	return message
}

// canary is the line that one content of one file prints.
func canary(name, content string) string {
	sum := sha256.Sum256([]byte(name + "\x00" + content))
	return "ctxprop: overlaid " + hex.EncodeToString(sum[:8])
}

// withCanary appends an initializer that prints the canary. It is in the edited
// file because that is what must not be exchanged for the original: "go test
// -cover -overlay" of Go 1.26 compiles added files and takes the replaced ones
// from the tree, without a word. So an attribute set by an added test would
// prove nothing. It stands at the end, where it moves no position, and uses a
// built-in, which needs no import.
func withCanary(content, canary string) string {
	return fmt.Sprintf("%s\nfunc init() { print(%q) }\n", strings.TrimRight(content, "\n"), canary+"\n")
}

// missing returns the overlaid files in the directories dirs, those from which a
// test is linked, whose canary is not in the test's output.
func (o *Overlay) missing(output string, dirs map[string]bool) []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(o.files)) {
		if dirs[filepath.Dir(name)] && !strings.Contains(output, o.files[name].canary) {
			names = append(names, name)
		}
	}
	return names
}
