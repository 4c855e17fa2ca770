package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ctxprop/ctxprop/internal/finding"
)

// vetOptions is the command line of vet.
type vetOptions struct {
	options
	dry bool
}

func vetFlagSet(o *vetOptions) *flag.FlagSet {
	fs := flag.NewFlagSet("ctxprop vet", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	o.bindSeverity(fs)
	o.bindAnalysis(fs)
	fs.BoolVar(&o.dry, "n", false, "print the go vet command instead of running it")
	return fs
}

// vet runs go vet with this program as its tool. The go command keeps the
// results of packages in its cache by the tool's flags, so what a configuration
// says must be among them; that is what this is for.
func (p *process) vet(ctx context.Context, args []string) error {
	o := new(vetOptions)
	fs := vetFlagSet(o)
	if err := fs.Parse(args); errors.Is(err, flag.ErrHelp) {
		return p.helpOn(ctx, "vet")
	} else if err != nil {
		return flagError(fs, err)
	}
	if err := o.setPatterns(fs.Args()); err != nil {
		return err
	}
	if err := o.configure(fs); err != nil {
		return err
	}
	g, err := p.goEnv(ctx, o.dir)
	if err != nil {
		return err
	}
	if !g.inModule() && slices.ContainsFunc(o.patterns, isLocalPattern) {
		return noModule(g)
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("cannot find the file of this program: %v", err)
	}
	command := o.goVet(self)
	env := []string{"PWD=" + g.dir}
	if trimmedPaths(g.GOFLAGS) != nil {
		// The command line has the last word, but the tool only sees this.
		env = append(env, "GOFLAGS="+g.GOFLAGS+" -trimpath=false")
	}
	if o.dry {
		_, err := fmt.Fprintln(p.stdout, shellQuoted(slices.Concat(env[1:], command)))
		return err
	}
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Dir, cmd.Env = g.dir, slices.Concat(p.env, env)
	cmd.Stdout, cmd.Stderr = p.stdout, p.stderr
	err = cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return &exitError{code: exit.ExitCode()} // go vet has said why
	}
	if err != nil {
		return goCommandError(err)
	}
	return nil
}

// isLocalPattern reports whether a pattern names folders, which takes a module,
// and not files or packages of the standard library.
func isLocalPattern(pattern string) bool {
	return strings.HasPrefix(pattern, ".") && !strings.HasSuffix(pattern, ".go")
}

// goVet is the command with the tool's flags that differ from their defaults.
func (o *vetOptions) goVet(self string) []string {
	// With GOFLAGS=-trimpath cached findings would be those of other checkouts.
	args := []string{"go", "vet", "-vettool=" + self, "-trimpath=false"}
	add := func(name, value string) {
		if value != "" {
			args = append(args, "-"+name+"="+value)
		}
	}
	add("tags", o.tags)
	add("ctxflow.own", o.own.String())
	add("ctxflow.catalog", withoutPlaces(o.catalog))
	if o.threshold != 0 {
		add("ctxflow.threshold", strconv.Itoa(o.threshold))
	}
	for _, analyzer := range finding.Analyzers() {
		if o.severity != finding.Warning {
			add(analyzer+".severity", o.severity.String())
		}
		add(analyzer+".codes", o.codes.String())
	}
	if o.verbose {
		args = append(args, "-v")
	}
	return append(args, o.patterns...)
}

// withoutPlaces leaves out where lines of a catalog come from: all packages
// would be analysed again after a new comment in the configuration.
func withoutPlaces(text string) string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		if line != "" && !strings.HasPrefix(line, "#") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// assignment is how a variable's value for one command begins.
var assignment = regexp.MustCompile(`^[A-Za-z_]+=`)

// shellQuoted is a command as one can paste it into a shell.
func shellQuoted(args []string) string {
	var words []string
	for _, arg := range args {
		name := ""
		if m := assignment.FindString(arg); m != "" {
			name, arg = m, arg[len(m):]
		}
		if strings.ContainsFunc(arg, func(r rune) bool {
			return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%", r)
		}) || arg == "" {
			arg = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
		}
		words = append(words, name+arg)
	}
	return strings.Join(words, " ")
}
