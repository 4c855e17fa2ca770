package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/ctxprop/ctxprop/internal/link"
	"github.com/ctxprop/ctxprop/internal/retrygraph"
	"github.com/ctxprop/ctxprop/internal/rewrite"
)

const aboutGraph = `graph shows who calls whom, how often each layer of retries repeats the call,
and what that comes to from the request to the last call, through the services
whose servers and clients are in the packages. The numbers are those of CTX301;
paths below its threshold are shown too. A count that is not known is a ?.

It exits with 0 whatever the numbers are; check reports those that are too large.
`

// graphOptions is the command line of graph.
type graphOptions struct {
	options
	write graphFormat
	file  string
}

func graphFlagSet(o *graphOptions) *flag.FlagSet {
	o.write = graphFormats[0]
	fs := flag.NewFlagSet("ctxprop graph", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.StringVar(&o.file, "o", "", "write to this `file`, in the format of its name unless -format says another")
	fs.Var(&o.write, "format", "print the graph as `text`, json, dot, svg or html")
	o.bindAnalysis(fs)
	return fs
}

func parseGraphOptions(args []string) (*graphOptions, error) {
	o := new(graphOptions)
	fs := graphFlagSet(o)
	if err := fs.Parse(args); err != nil {
		return nil, flagError(fs, err)
	}
	if err := o.setPatterns(fs.Args()); err != nil {
		return nil, err
	}
	named := false
	fs.Visit(func(f *flag.Flag) { named = named || f.Name == "format" })
	if o.file != "" && !named {
		if err := o.write.ofFile(o.file); err != nil {
			return nil, err
		}
	}
	return o, o.configure(fs)
}

// graphFormat is a way to print a graph, and a flag value.
type graphFormat struct {
	name  string
	write func(io.Writer, *retrygraph.Graph) error
	ends  []string // of names of files that are in it
}

// graphFormats has the default first.
var graphFormats = []graphFormat{
	{"text", retrygraph.WriteText, []string{".txt"}},
	{"json", retrygraph.WriteJSON, []string{".json"}},
	{"dot", retrygraph.WriteDOT, []string{".dot", ".gv"}},
	{"svg", retrygraph.WriteSVG, []string{".svg"}},
	{"html", retrygraph.WriteHTML, []string{".html", ".htm"}},
}

func (f *graphFormat) String() string { return f.name }

func (f *graphFormat) Set(name string) error {
	var names []string
	for _, known := range graphFormats {
		if known.name == name {
			*f = known
			return nil
		}
		names = append(names, known.name)
	}
	hint := didYouMean(name, names)
	if hint == "" {
		hint = ": use one of " + strings.Join(names, ", ")
	}
	return errors.New("unknown format" + hint)
}

// ofFile takes the format from the end of a file's name.
func (f *graphFormat) ofFile(name string) error {
	for _, known := range graphFormats {
		for _, end := range known.ends {
			if strings.EqualFold(filepath.Ext(name), end) {
				*f = known
				return nil
			}
		}
	}
	return usagef("the name %s does not say in which format to write; add -format text, json, dot, svg or html", name)
}

// graph shows the retries of a program.
func (p *process) graph(ctx context.Context, args []string) error {
	o, err := parseGraphOptions(args)
	if errors.Is(err, flag.ErrHelp) {
		return p.helpOn(ctx, "graph")
	}
	if err != nil {
		return err
	}
	g, err := p.goEnv(ctx, o.dir)
	if err != nil {
		return err
	}
	_, units, err := p.loadAndAnalyse(ctx, &o.options, g)
	if err != nil {
		return err
	}
	graph := retrygraph.New(link.Routes(linked(units)))
	for _, n := range graph.Nodes {
		n.File = filepath.ToSlash(relative(n.File, g.dir))
	}
	var b strings.Builder
	if err := o.write.write(&b, graph); err != nil {
		return err
	}
	if o.file == "" {
		if _, err := io.WriteString(p.stdout, b.String()); err != nil {
			return fmt.Errorf("cannot write the graph: %v", err)
		}
		return nil
	}
	if err := rewrite.Create(o.file, b.String()); err != nil {
		return fmt.Errorf("cannot write the graph: %v", err)
	}
	return nil
}
