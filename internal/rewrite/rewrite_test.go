package rewrite

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestDiff applies random diffs by git, which reads what people will pipe
// into it.
func TestDiff(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git to read the diffs with")
	}
	r := rand.New(rand.NewPCG(1, 2))
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	for i := range 60 {
		old := randomText(r, 1+r.IntN(40))
		want := randomEdit(r, old)
		if err := os.WriteFile(file, []byte(old), 0o666); err != nil {
			t.Fatal(err)
		}
		diff := Diff("file", old, want)
		if diff == "" {
			if old != want {
				t.Fatalf("%d: no diff of different texts", i)
			}
			continue
		}
		cmd := exec.Command("git", "apply", "-p1", "--whitespace=nowarn", "-")
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(diff)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%d: %v: %s\n%s", i, err, out, diff)
		}
		if got := read(t, file); got != want {
			t.Fatalf("%d: got %q, want %q by\n%s", i, got, want, diff)
		}
	}
}

func randomText(r *rand.Rand, n int) string {
	var b strings.Builder
	for range n {
		fmt.Fprintf(&b, "line %d\n", r.IntN(8)) // many are equal
	}
	text := b.String()
	if r.IntN(4) == 0 {
		return strings.TrimSuffix(text, "\n")
	}
	return text
}

func randomEdit(r *rand.Rand, text string) string {
	lines := strings.SplitAfter(text, "\n")
	for range r.IntN(5) {
		i := r.IntN(len(lines))
		switch r.IntN(3) {
		case 0:
			lines[i] = "changed\n"
		case 1:
			lines = append(lines[:i:i], lines[i+1:]...)
		case 2:
			lines = append(lines[:i:i], append([]string{"added\n"}, lines[i:]...)...)
		}
		if len(lines) == 0 {
			lines = []string{"last\n"}
		}
	}
	return strings.Join(lines, "")
}

func TestDiffIsSmall(t *testing.T) {
	const old = "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\n"
	got := Diff("x.go", old, strings.Replace(strings.Replace(old, "b\n", "B\n", 1), "k\n", "", 1))
	const want = `--- a/x.go
+++ b/x.go
@@ -1,5 +1,5 @@
 a
-b
+B
 c
 d
 e
@@ -8,5 +8,4 @@
 h
 i
 j
-k
 l
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func write(t *testing.T, name, text string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	write(t, a, "a", 0o640)
	write(t, b, "b", 0o666)
	if err := Write([]Change{{a, "a", "A"}, {b, "b", "B"}}); err != nil {
		t.Fatal(err)
	}
	if read(t, a) != "A" || read(t, b) != "B" {
		t.Error("the files are not changed")
	}
	if info, err := os.Stat(a); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("permissions %v, %v", info.Mode(), err)
	}
	onlyFiles(t, dir, 2)
}

// TestWriteNothing: whatever is wrong with one file, the others stay.
func TestWriteNothing(t *testing.T) {
	for _, test := range []struct {
		name    string
		prepare func(t *testing.T, file string)
		want    string
	}{
		{"changed", func(t *testing.T, file string) { write(t, file, "other", 0o666) }, "has changed since it was analysed"},
		{"read-only", func(t *testing.T, file string) { write(t, file, "b", 0o666); chmod(t, file, 0o444) }, "is read-only"},
		{"gone", func(*testing.T, string) {}, "no such file"},
		{"directory", func(t *testing.T, file string) {
			if err := os.Mkdir(file, 0o777); err != nil {
				t.Fatal(err)
			}
		}, "is not a regular file"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
			write(t, a, "a", 0o666)
			test.prepare(t, b)
			err := Write([]Change{{a, "a", "A"}, {b, "b", "B"}})
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "nothing was changed") {
				t.Errorf("error %v, want %q", err, test.want)
			}
			if read(t, a) != "a" {
				t.Error("the other file was changed")
			}
			for _, e := range entries(t, dir) {
				if e != "a" && e != "b" {
					t.Errorf("left behind: %s", e)
				}
			}
		})
	}
}

// TestPutBack: a rename that fails after another one undoes that.
func TestPutBack(t *testing.T) {
	dir := t.TempDir()
	a := filepath.Join(dir, "a")
	write(t, a, "a", 0o666)
	s, err := stage(Change{a, "a", "A"})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(s.temp, s.target); err != nil {
		t.Fatal(err)
	}
	if err := putBack([]*stagedFile{s}, os.ErrPermission); err == nil || !strings.Contains(err.Error(), "nothing was changed") {
		t.Errorf("error %v", err)
	}
	if read(t, a) != "a" {
		t.Error("it was not put back")
	}
	onlyFiles(t, dir, 1)
}

// TestWriteThroughLink changes the file that a symbolic link points to.
func TestWriteThroughLink(t *testing.T) {
	dir := t.TempDir()
	a, l := filepath.Join(dir, "a"), filepath.Join(dir, "l")
	write(t, a, "a", 0o666)
	if err := os.Symlink(a, l); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	if err := Write([]Change{{l, "a", "A"}}); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(l); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link is none any more")
	}
	if read(t, a) != "A" {
		t.Error("the file is not changed")
	}
}

func chmod(t *testing.T, name string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(name, mode); err != nil {
		t.Fatal(err)
	}
}

func entries(t *testing.T, dir string) []string {
	t.Helper()
	es, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range es {
		names = append(names, e.Name())
	}
	return names
}

func onlyFiles(t *testing.T, dir string, n int) {
	t.Helper()
	if es := entries(t, dir); len(es) != n {
		t.Errorf("there are %v", es)
	}
}
