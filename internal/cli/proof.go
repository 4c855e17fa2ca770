package cli

import (
	"context"
	"fmt"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/ctxprop/ctxprop/internal/catalog"
	"github.com/ctxprop/ctxprop/internal/ctxflow"
	"github.com/ctxprop/ctxprop/internal/finding"
	"github.com/ctxprop/ctxprop/internal/link"
	"github.com/ctxprop/ctxprop/internal/prove"
)

// proof is one run of prove.
type proof struct {
	*process
	o        *proveOptions
	goEnv    *goEnv
	tests    *prove.Go
	temp     string
	overlays int
	progress *progress
}

// proof measures and returns the outcome. It leaves nothing behind.
func (p *process) proof(ctx context.Context, o *proveOptions) (*prove.Report, error) {
	g, err := p.goEnv(ctx, o.dir)
	if err != nil {
		return nil, err
	}
	if err := prove.CheckFlags(g.GOFLAGS); err != nil {
		return nil, fmt.Errorf("GOFLAGS has %v", err)
	}
	temp, remove, err := prove.Temp()
	if err != nil {
		return nil, err
	}
	defer remove()
	pr := &proof{process: p, o: o, goEnv: g, temp: temp, progress: startProgress(p.stderr, o.verbose)}
	defer pr.progress.stop()
	pr.tests = &prove.Go{Env: p.env, Dir: g.dir, Tags: o.buildTags(), Temp: temp}
	// Functions in test files are no part of the service.
	o.tests, o.tags = false, strings.Join(append([]string{prove.BuildTag}, o.buildTags()...), ",")
	return pr.run(ctx)
}

func (o *options) buildTags() []string {
	return strings.FieldsFunc(o.tags, func(r rune) bool { return r == ',' || r == ' ' })
}

func (pr *proof) run(ctx context.Context) (*prove.Report, error) {
	if pr.o.init {
		return nil, pr.writeTests(ctx)
	}
	pr.progress.stage("looking for saturation tests")
	pkgs, err := pr.tests.Packages(ctx, pr.o.patterns)
	if err != nil && !pr.goEnv.inModule() {
		return nil, noModule(pr.goEnv)
	}
	if err != nil {
		return nil, err
	}
	pr.progress.stage("analysing")
	prog, err := pr.analyse(ctx, nil)
	if err != nil {
		return nil, err
	}
	plan, err := prove.NewPlan(prog)
	if err != nil {
		return nil, err
	}
	if len(plan.Fixed) == 0 {
		return prove.NewReport(pr.goEnv.dir, plan, nil), nil
	}
	if len(pkgs) == 0 {
		return nil, pr.noTests(ctx)
	}
	overlay, err := pr.overlay(plan)
	if err != nil {
		return nil, err
	}
	pr.progress.stage("analysing the fixed code")
	fixed, err := pr.analyse(ctx, overlay)
	if err != nil {
		return nil, fmt.Errorf("with the fixes in, %v\nA fix that does not compile is a bug of ctxprop; please report it. A //ctxprop:allow at its finding leaves it out", err)
	}
	pairs, err := pr.measure(ctx, pkgs, overlay, plan)
	if err != nil {
		return nil, err
	}
	report := prove.NewReport(pr.goEnv.dir, plan, pairs)
	report.Left = plan.Left(fixed)
	if pr.o.each {
		err = pr.leaveOut(ctx, plan, report, pairs)
	}
	return report, err
}

// analyse finds what there is in the program as it is, or as an overlay has it.
func (pr *proof) analyse(ctx context.Context, over *prove.Overlay) (*prove.Program, error) {
	o := pr.o.options
	if over != nil {
		o.overlay = &overlay{over}
	}
	prog, err := pr.load(ctx, &o, pr.goEnv)
	if err != nil {
		return nil, err
	}
	if err := o.checkCatalog(prog); err != nil {
		return nil, err
	}
	asked := make(map[string]bool) // files that the patterns match
	for _, pkg := range prog.pkgs {
		for _, name := range pkg.CompiledGoFiles {
			asked[name] = prog.matched[pkg.ID]
		}
		prog.matched[pkg.ID] = true // what they import may lie on the path of a test
	}
	units, err := analyse(pr.analyzers(&o), prog)
	if err != nil {
		return nil, err
	}
	fs := o.shown(dedupe(findingsOf(prog, units)))
	finding.Sort(fs)
	pkgs := linked(units)
	return &prove.Program{
		Fset:     prog.fset,
		Findings: fs,
		Asked:    func(f *finding.Finding) bool { return asked[f.Position.Filename] },
		Path: func(handlers []string) map[string]bool {
			declared := declaredMethods(prog, handlers)
			return link.Reached(pkgs, func(n *ctxflow.Node) bool { return slices.Contains(declared, n.Key) })
		},
		RPC: link.Reached(pkgs, func(n *ctxflow.Node) bool { return n.Root && n.Kind == catalog.GRPCMethod }),
	}, nil
}

// declaredMethods returns, for methods of types as they were called, the methods
// that ran: for one that is promoted from an embedded field, that field's.
func declaredMethods(prog *program, called []string) []string {
	var keys []string
	for _, name := range called {
		keys = append(keys, name)
		recv, method, ok := cutLast(name, ").")
		if !ok {
			continue
		}
		path, typeName, _ := cutLast(strings.TrimLeft(recv, "(*"), ".")
		for _, pkg := range prog.pkgs {
			if pkg.PkgPath != path {
				continue
			}
			if tn, ok := pkg.Types.Scope().Lookup(typeName).(*types.TypeName); ok {
				obj, _, _ := types.LookupFieldOrMethod(tn.Type(), true, pkg.Types, method)
				if fn, ok := obj.(*types.Func); ok {
					keys = append(keys, fn.Origin().FullName())
				}
			}
		}
	}
	return keys
}

// overlay makes the fixes, but for those of the findings that are left out.
func (pr *proof) overlay(plan *prove.Plan, leftOut ...*finding.Finding) (*prove.Overlay, error) {
	files, err := plan.Files(leftOut...)
	if err != nil {
		return nil, err
	}
	pr.overlays++
	dir := filepath.Join(pr.temp, fmt.Sprintf("overlay%d", pr.overlays))
	if err := os.Mkdir(dir, 0o777); err != nil {
		return nil, err
	}
	return prove.NewOverlay(dir, files)
}

// measure runs the tests of each package as it is and on the overlay.
func (pr *proof) measure(ctx context.Context, pkgs []*prove.TestPackage, o *prove.Overlay, plan *prove.Plan) ([]*prove.Pair, error) {
	var pairs []*prove.Pair
	for _, pkg := range pkgs {
		pr.progress.stage("measuring " + pkg.Path + " as it is")
		before, err := pr.tests.Before(ctx, pkg)
		if err != nil {
			return nil, err
		}
		pr.progress.stage("measuring " + pkg.Path + " with the fixes")
		after, err := pr.tests.After(ctx, pkg, o, before, plan)
		if err != nil {
			return nil, err
		}
		pairs = append(pairs, &prove.Pair{Package: pkg, Before: before, After: after})
	}
	return pairs, nil
}

// leaveOut measures each scenario again with one fix less, for each on its
// path. Fixes that share edits are left out together.
func (pr *proof) leaveOut(ctx context.Context, plan *prove.Plan, report *prove.Report, pairs []*prove.Pair) error {
	groups := plan.Groups()
	for i, group := range groups {
		o, err := pr.overlay(plan, group...)
		if err != nil {
			return err
		}
		for _, pair := range pairs {
			if !report.Exercises(pair, group) {
				continue
			}
			pr.progress.stage(fmt.Sprintf("measuring %s without fix %d of %d", pair.Package.Path, i+1, len(groups)))
			after, err := pr.tests.After(ctx, pair.Package, o, pair.Before, plan)
			if err != nil {
				return err
			}
			report.AddWithout(pair, group, after)
		}
	}
	return nil
}

// noTests says how to come by a saturation test.
func (pr *proof) noTests(ctx context.Context) error {
	patterns := strings.Join(pr.o.patterns, " ")
	err := fmt.Errorf("no saturation tests in %s; ctxprop prove -init %s writes one for each gRPC service there", patterns, patterns)
	if need := pr.tests.Needs(ctx); need != "" {
		err = fmt.Errorf("%v, after\n\t%s", err, need)
	}
	return err
}

// writeTests writes a saturation test beside each gRPC service that has none,
// all of them or none.
func (pr *proof) writeTests(ctx context.Context) error {
	pr.progress.stage("loading packages")
	prog, err := pr.load(ctx, &pr.o.options, pr.goEnv)
	if err != nil {
		return err
	}
	asked := slices.DeleteFunc(slices.Clone(prog.pkgs), func(pkg *packages.Package) bool { return !prog.matched[pkg.ID] })
	c, err := catalog.Default().Extend("line", pr.o.catalog)
	if err != nil {
		return err
	}
	tests, err := prove.Skeletons(c, asked)
	if err != nil {
		return err
	}
	if len(tests) == 0 {
		return fmt.Errorf("no gRPC services in %s: no type there implements a generated server interface", strings.Join(pr.o.patterns, " "))
	}
	if need := pr.tests.Needs(ctx); need != "" {
		return fmt.Errorf("a saturation test needs %s/saturate, which is not in this build; run\n\t%s", prove.RuntimeModule, need)
	}
	if err := prove.WriteSkeletons(tests); err != nil {
		return err
	}
	pr.progress.stop()
	for _, t := range tests {
		fmt.Fprintln(pr.stdout, relative(t.File, pr.goEnv.dir))
	}
	return nil
}
