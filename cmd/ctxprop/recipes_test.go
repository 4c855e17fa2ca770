package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// recipe returns the file of that name on the page about CI.
func recipe(t *testing.T, name string) string {
	t.Helper()
	page, err := os.ReadFile("../../docs/ci.md")
	if err != nil {
		t.Fatal(err)
	}
	text := regexp.MustCompile("(?s)```yaml\n# " + regexp.QuoteMeta(name) + "\n(.*?)```").FindSubmatch(page)
	if text == nil {
		t.Fatalf("docs/ci.md has no %s", name)
	}
	return string(text[1])
}

// TestGitLabRecipe runs the script, but for the installation, as a runner does:
// in a clone of little depth, with the variables that name the commits.
func TestGitLabRecipe(t *testing.T) {
	repo, main, topic, merge := host(t)
	var config map[string]struct{ Script []string }
	if err := yaml.Unmarshal([]byte(recipe(t, ".gitlab-ci.yml")), &config); err != nil {
		t.Fatal(err)
	}
	script := config["ctxprop"].Script
	if len(script) == 0 || script[0] != "go install github.com/ctxprop/ctxprop/cmd/ctxprop@latest" {
		t.Fatalf("the script does not begin with the installation, which has its own test: %q", script)
	}
	fork := git(t, repo, "merge-base", "main", "topic")
	for name, test := range map[string]struct {
		commit string
		env    []string
	}{
		"a branch":        {topic, []string{"CI_MERGE_REQUEST_DIFF_BASE_SHA=" + fork}},
		"a merged result": {merge, []string{"CI_MERGE_REQUEST_DIFF_BASE_SHA=" + fork, "CI_MERGE_REQUEST_TARGET_BRANCH_SHA=" + main}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := checkoutOf(t, repo, test.commit)
			cmd := exec.Command("bash", "-eo", "pipefail", "-c", strings.Join(script[1:], "\n"))
			cmd.Dir = dir
			cmd.Env = append(append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull), test.env...)
			out, _ := cmd.CombinedOutput()
			if cmd.ProcessState.ExitCode() != 3 || !strings.Contains(string(out), "\nsvc/b.go:8:") && !strings.HasPrefix(string(out), "svc/b.go:8:") || !strings.Contains(string(out), "1 new finding, 0 fixed, 1 known") {
				t.Errorf("exit code %d\n%s", cmd.ProcessState.ExitCode(), out)
			}
			if _, err := os.Stat(filepath.Join(dir, "ctxprop.md")); err != nil {
				t.Error(err)
			}
		})
	}
}
