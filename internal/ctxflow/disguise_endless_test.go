package ctxflow

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/ctxprop/ctxprop/internal/finding"
)

// plainForms are ways to do work that no context can end, written into the
// shapes of the disguise matrix in place of a root.
var plainForms = []struct {
	rootForm
	code finding.Code
}{
	{rootForm{
		name: "query", imports: `import "database/sql"`, decls: `var db *sql.DB`,
		use: `_ = s; err = db.QueryRow(id).Scan(&v)`,
	}, finding.CallWithoutContext},
	{rootForm{
		name: "get", imports: `import "net/http"`,
		use: `_ = s
			res, failed := http.Get(id)
			v, err = res.Status, failed`,
	}, finding.CallWithoutContext},
	{rootForm{
		name: "bare request", imports: `import "net/http"`,
		use: `_ = s
			req, _ := http.NewRequest("GET", id, nil)
			res, failed := http.DefaultClient.Do(req)
			v, err = res.Status, failed`,
	}, finding.CallWithoutContext},
	{rootForm{
		name: "command", imports: `import "os/exec"`,
		use: `_ = s
			out, failed := exec.Command(id).Output()
			v, err = string(out), failed`,
	}, finding.CallWithoutContext},
	{rootForm{
		name: "sibling", decls: `
			func fetch(s sink, id string) (string, error) { return fetchContext(context.Background(), s, id) }
			func fetchContext(ctx context.Context, s sink, id string) (string, error) { return s.Load(ctx, id) }`,
		use: `v, err = fetch(s, id)`,
	}, finding.CallWithoutContext},
	{rootForm{
		name: "sleep", imports: `import "time"`,
		use: `_ = s; time.Sleep(time.Second); v = id`,
	}, finding.UncancellableWait},
	{rootForm{
		name: "receive", decls: `var feed chan string`,
		use: `_ = s; v = <-feed + id`,
	}, finding.UncancellableWait},
}

// plainShape says where a shape means something else for work without a
// context than for a fresh one: work that nobody waits for is nobody's, and a
// wait in a defer is on the way out.
func plainShape(sh shape, code finding.Code) bool {
	if sh.code == finding.UnboundedDetach {
		return false
	}
	return code != finding.UncancellableWait || sh.name != "defer" && sh.name != "deferred with a result"
}

func TestPlainDisguises(t *testing.T) {
	sources := files{}
	for _, sh := range shapes {
		for _, form := range plainForms {
			maps.Copy(sources, cell(cellPath("plain", sh.name, form.name), form.rootForm, sh))
		}
	}
	results := load(t, sources).analyze(t, Config{})
	for _, sh := range shapes {
		t.Run(sh.name, func(t *testing.T) {
			for _, form := range plainForms {
				pkg := cellPath("plain", sh.name, form.name)
				want := ""
				if sh.code != "" && plainShape(sh, form.code) {
					want = fmt.Sprintf("%s in %s", form.code, strings.ReplaceAll(sh.home, "PKG", pkg))
				}
				if got := summary(results[pkg], results[pkg+"/far"]); got != want {
					t.Errorf("%s: got %q, want %q", form.name, got, want)
				}
			}
		})
	}
}
