package main

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"golang.org/x/tools/txtar"
)

// action is what the tests need of action.yml.
type action struct {
	Inputs map[string]struct {
		Default string
	}
	Runs struct{ Steps []actionStep }
}

type actionStep struct {
	Name, ID, Shell, Run, Uses, If string
	WorkingDirectory               string `yaml:"working-directory"`
	Env                            map[string]string
	With                           map[string]string
}

func readAction(t *testing.T) *action {
	t.Helper()
	text, err := os.ReadFile("../../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	var a action
	if err := yaml.Unmarshal(text, &a); err != nil {
		t.Fatal(err)
	}
	return &a
}

var expression = regexp.MustCompile(`\$\{\{\s*(.*?)\s*\}\}`)

// TestActionScriptsHaveNoExpressions: what stands in an expression in a script
// is put into its text, so that the name of a branch can be a command.
func TestActionScriptsHaveNoExpressions(t *testing.T) {
	for _, s := range readAction(t).Runs.Steps {
		if expression.MatchString(s.Run) {
			t.Errorf("%s: the script has an expression; pass it through env", s.Name)
		}
		if s.Run != "" && s.Shell != "bash" {
			t.Errorf("%s: shell %q", s.Name, s.Shell)
		}
	}
}

// runner runs the scripts of the action as the runner of GitHub does, on a
// checkout of a repository.
type runner struct {
	t        *testing.T
	action   *action
	checkout string
	temp     string
	env      []string
	context  map[string]string // values of expressions, such as inputs.base
}

func newRunner(t *testing.T, checkout string, env ...string) *runner {
	t.Helper()
	source, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	r := &runner{t: t, action: readAction(t), checkout: checkout, temp: t.TempDir(), env: env}
	r.context = map[string]string{"github.action_path": source, "github.event.merge_group.base_sha": ""}
	for name, input := range r.action.Inputs {
		r.context["inputs."+name] = input.Default
	}
	return r
}

// evaluate replaces expressions. One without a value is a mistake of the action.
func (r *runner) evaluate(text string) string {
	return expression.ReplaceAllStringFunc(text, func(e string) string {
		name := expression.FindStringSubmatch(e)[1]
		value, ok := r.context[name]
		if !ok {
			r.t.Errorf("the action uses %s, which nothing sets", name)
		}
		return value
	})
}

// file is one that scripts write to.
func (r *runner) file(name string) string { return filepath.Join(r.temp, name) }

// run runs the scripts up to the first that fails.
func (r *runner) run() (output string, code int) {
	r.t.Helper()
	path := os.Getenv("PATH")
	for _, s := range r.action.Runs.Steps {
		if s.Run == "" {
			continue
		}
		script := r.file("script.sh")
		r.write(script, s.Run)
		r.write(r.file("output"), "")
		cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", script)
		cmd.Dir = filepath.Join(r.checkout, r.evaluate(s.WorkingDirectory))
		cmd.Env = append(os.Environ(), "PATH="+path, "RUNNER_TEMP="+r.temp, "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GOPROXY=off",
			"GITHUB_PATH="+r.file("path"), "GITHUB_OUTPUT="+r.file("output"), "GITHUB_STEP_SUMMARY="+r.file("summary"))
		cmd.Env = append(cmd.Env, r.env...)
		for name, value := range s.Env {
			cmd.Env = append(cmd.Env, name+"="+r.evaluate(value))
		}
		out, err := cmd.CombinedOutput()
		output += string(out)
		for line := range strings.Lines(r.read("output")) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
			r.context["steps."+s.ID+".outputs."+name] = value
		}
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			return output, exit.ExitCode()
		} else if err != nil {
			r.t.Fatal(err)
		}
		path = strings.TrimSpace(r.read("path")) + string(os.PathListSeparator) + os.Getenv("PATH")
	}
	return output, 0
}

func (r *runner) write(name, text string) {
	r.t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		r.t.Fatal(err)
	}
}

// read returns what scripts wrote to a file, if they did.
func (r *runner) read(name string) string {
	text, _ := os.ReadFile(r.file(name))
	return string(text)
}

// hosted is a repository as a code host has it: main, and topic with one more
// finding, which is about to be merged.
const hosted = `
-- base/go.mod --
module example.com/shop

go 1.26
-- base/svc/a.go --
package svc

import (
	"context"
	"database/sql"
)

func Old(ctx context.Context, db *sql.DB) error { return db.PingContext(context.Background()) }
-- topic/svc/b.go --
package svc

import (
	"context"
	"database/sql"
)

func New(ctx context.Context, db *sql.DB) error { return db.PingContext(context.Background()) }
-- main/svc/c.go --
package svc

// Later is what main has meanwhile.
const Later = 1
`

// host makes the repository and returns it with the commits of main, of topic
// and of the merge, which is at refs/pull/1/merge.
func host(t *testing.T) (dir, main, topic, merge string) {
	t.Helper()
	dir = t.TempDir()
	files := func(branch string) {
		for _, f := range txtar.Parse([]byte(hosted)).Files {
			if name, ok := strings.CutPrefix(f.Name, branch+"/"); ok {
				name = filepath.Join(dir, name)
				if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, f.Data, 0o666)); err != nil {
					t.Fatal(err)
				}
			}
		}
		git(t, dir, "add", "-A")
		git(t, dir, "commit", "-q", "-m", branch)
	}
	git(t, dir, "init", "-q", "-b", "main")
	files("base")
	git(t, dir, "checkout", "-q", "-b", "topic")
	files("topic")
	git(t, dir, "checkout", "-q", "main")
	files("main")
	git(t, dir, "checkout", "-q", "-b", "merge")
	git(t, dir, "merge", "-q", "-m", "merge", "topic")
	git(t, dir, "update-ref", "refs/pull/1/merge", "merge")
	git(t, dir, "checkout", "-q", "main")
	return dir, git(t, dir, "rev-parse", "main"), git(t, dir, "rev-parse", "topic"), git(t, dir, "rev-parse", "merge")
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, &stderr)
	}
	return strings.TrimSpace(string(out))
}

// checkoutOf does what actions/checkout does with its default depth of 1.
func checkoutOf(t *testing.T, host, commit string) string {
	t.Helper()
	dir := t.TempDir()
	git(t, dir, "init", "-q")
	git(t, dir, "remote", "add", "origin", "file://"+host)
	git(t, dir, "fetch", "-q", "--no-tags", "--depth=1", "origin", commit)
	git(t, dir, "checkout", "-q", "--detach", commit)
	return dir
}

// TestAction runs the action's scripts for each event, on checkouts as shallow
// as they come.
func TestAction(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the command")
	}
	repo, main, topic, merge := host(t)
	event := func(name, sha string) []string {
		return []string{"GITHUB_EVENT_NAME=" + name, "GITHUB_SHA=" + sha, "GITHUB_BASE_REF=main"}
	}
	tests := []struct {
		name    string
		commit  string
		env     []string
		inputs  map[string]string
		code    int
		want    []string // in the log
		summary string
	}{
		{
			name: "a pull request, checked out as its merge", commit: merge, env: event("pull_request", merge),
			code: 3, want: []string{"::warning file=svc/b.go,"}, summary: "1 new finding, 0 fixed, 1 known",
		},
		{
			name: "a pull request, checked out as it is", commit: topic, env: event("pull_request", merge),
			code: 3, want: []string{"::warning file=svc/b.go,"}, summary: "1 new finding, 0 fixed, 1 known",
		},
		{
			name: "a merge queue", commit: merge, env: event("merge_group", merge),
			inputs: map[string]string{"github.event.merge_group.base_sha": main},
			code:   3, want: []string{"::warning file=svc/b.go,"}, summary: "1 new finding, 0 fixed, 1 known",
		},
		{
			name: "a push", commit: merge, env: event("push", merge),
			code: 3, want: []string{"::warning file=svc/a.go,", "::warning file=svc/b.go,"}, summary: "2 findings",
		},
		{
			name: "only errors", commit: merge, env: event("pull_request", merge), inputs: map[string]string{"inputs.severity": "error"},
			code: 0, summary: "0 new findings, 0 fixed, 0 known",
		},
		{
			name: "another folder and packages", commit: merge, env: event("push", merge),
			inputs: map[string]string{"inputs.working-directory": "svc", "inputs.packages": ". ./..."},
			code:   3, summary: "2 findings",
		},
		{
			name: "a base of one's own", commit: merge, env: event("push", merge), inputs: map[string]string{"inputs.base": "HEAD"},
			code: 0, summary: "0 new findings, 0 fixed, 2 known",
		},
		{
			name: "inputs are not run", commit: merge, env: event("push", merge),
			inputs: map[string]string{"inputs.base": "$(touch pwned)", "inputs.packages": "./... `touch pwned`", "inputs.severity": "info; touch pwned"},
			code:   2, want: []string{`unknown severity "info; touch pwned"`},
		},
		{
			name: "no base of that name", commit: merge, env: event("push", merge), inputs: map[string]string{"inputs.base": "$(touch pwned)"},
			code: 1, want: []string{"the repository has no revision $(touch pwned)"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := checkoutOf(t, repo, test.commit)
			r := newRunner(t, dir, test.env...)
			maps.Copy(r.context, test.inputs)
			out, code := r.run()
			if code != test.code {
				t.Errorf("exit code %d, want %d", code, test.code)
			}
			for _, want := range test.want {
				if !strings.Contains(out, want) {
					t.Errorf("the log lacks %q", want)
				}
			}
			if summary := r.read("summary"); !strings.Contains(summary, test.summary) || test.summary == "" && summary != "" {
				t.Errorf("the summary is %q, want %q", summary, test.summary)
			}
			for _, output := range []string{"sarif", "markdown"} {
				file := r.context["steps.analyse.outputs."+output]
				if _, err := os.Stat(file); (err == nil) != (test.summary != "") {
					t.Errorf("output %s is %q: %v", output, file, err)
				}
			}
			if found, _ := filepath.Glob(filepath.Join(dir, "*pwned*")); found != nil {
				t.Error("an input was run")
			}
			if t.Failed() {
				t.Log(out)
			}
		})
	}
}

// TestUploadTakesWhatTheScriptsGive: the step that is not run here has its file
// from the one that is.
func TestUploadTakesWhatTheScriptsGive(t *testing.T) {
	steps := readAction(t).Runs.Steps
	i := slices.IndexFunc(steps, func(s actionStep) bool { return s.Uses != "" })
	if i < 0 || steps[i].With["sarif_file"] != "${{ steps.analyse.outputs.sarif }}" || !strings.Contains(steps[i].If, "always()") {
		t.Errorf("got %+v", steps)
	}
}
