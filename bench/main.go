// Bench compares what ctxprop and its peers cost on one checkout: user CPU,
// wall time and peak memory, as commands and as vettools; or what they find. All tools run on the
// same files in the same minutes, round by round in turn, so that the ratios
// hold even on a machine that is busy with other work. See README.md.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
)

func main() {
	var cfg config
	flag.StringVar(&cfg.dir, "dir", ".", "checkout to run on; it is copied, and the copy is used")
	flag.StringVar(&cfg.packages, "packages", "./...", "package pattern")
	flag.StringVar(&cfg.touch, "touch", "", "`file` of the checkout, relative to -dir, to edit before the third vettool run; without it that run is left out")
	flag.IntVar(&cfg.rounds, "rounds", 3, "how often everything is measured; medians are shown")
	flag.StringVar(&cfg.findings, "findings", "", "compare what the tools find instead of what they cost, and write who finds what in which function to this `file`")
	flag.Func("peer", "`name=dir`: build a peer from this checkout of its module instead of fetching it (repeatable)", cfg.addPeerSource)
	flag.Parse()

	// An interrupted run still removes its caches, which can be large.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, cfg)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// config is what the flags say.
type config struct {
	dir, packages, touch string
	rounds               int
	findings             string
	sources              map[string]string // folder of a peer's module, by name
}

func (cfg *config) addPeerSource(value string) error {
	name, dir, ok := strings.Cut(value, "=")
	if !ok {
		return fmt.Errorf("want name=dir")
	}
	if cfg.sources == nil {
		cfg.sources = make(map[string]string)
	}
	abs, err := filepath.Abs(dir)
	cfg.sources[name] = abs
	return err
}

func run(ctx context.Context, cfg config) error {
	if cfg.rounds < 1 {
		return fmt.Errorf("-rounds %d: at least one is needed", cfg.rounds)
	}
	tmp, err := os.MkdirTemp("", "ctxprop-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)

	tools, skipped := build(ctx, filepath.Join(tmp, "bin"), cfg.sources)
	for _, err := range skipped {
		fmt.Fprintln(os.Stderr, "bench: left out:", err)
	}
	site, err := newSite(ctx, cfg, tmp)
	if err != nil {
		return err
	}
	if cfg.findings != "" {
		return compareFindings(ctx, cfg, site, tools)
	}
	var all samples
	for round := range cfg.rounds {
		for _, t := range tools {
			fmt.Fprintf(os.Stderr, "bench: round %d of %d: %s\n", round+1, cfg.rounds, t.name)
			if err := site.measure(ctx, t, round, &all); err != nil {
				return err
			}
		}
	}
	return report(os.Stdout, all)
}

// compareFindings runs every tool that looks after contexts once.
func compareFindings(ctx context.Context, cfg config, site *site, tools []tool) error {
	var all []toolHits
	for _, t := range tools {
		if t.name == goVet || t.name == noop {
			continue
		}
		fmt.Fprintf(os.Stderr, "bench: %s\n", t.name)
		hits, err := site.find(ctx, t)
		if err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
		all = append(all, toolHits{t.name, hits})
	}
	var places strings.Builder
	if err := listPlaces(&places, all); err != nil {
		return err
	}
	if err := os.WriteFile(cfg.findings, []byte(places.String()), 0o666); err != nil {
		return err
	}
	return sideBySide(os.Stdout, all)
}
