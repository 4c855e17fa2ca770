package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/ctxprop/ctxprop/internal/configfile"
)

// initFlagSet binds the flags of init.
func initFlagSet(dir *string) *flag.FlagSet {
	fs := flag.NewFlagSet("ctxprop init", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.StringVar(dir, "C", "", "write the file into this `directory` instead of the current one")
	return fs
}

// init writes a configuration file in which everything is commented out.
func (p *process) init(ctx context.Context, args []string) error {
	var in string
	fs := initFlagSet(&in)
	if err := fs.Parse(args); errors.Is(err, flag.ErrHelp) {
		return p.helpOn(ctx, "init")
	} else if err != nil {
		return flagError(fs, err)
	}
	if fs.NArg() > 0 {
		return usagef("init takes no arguments; for another directory: ctxprop init -C %s", fs.Arg(0))
	}
	dir, err := workingDir(in)
	if err != nil {
		return err
	}
	name := filepath.Join(dir, configfile.Name)
	shown := filepath.Join(in, configfile.Name)
	if err := create(name, configfile.Template()); err != nil {
		if errors.Is(err, os.ErrExist) {
			return fmt.Errorf("%s is there already; nothing was written", shown)
		}
		return fmt.Errorf("cannot write %s: %v; nothing was written", shown, errors.Unwrap(err))
	}
	_, err = fmt.Fprintf(p.stdout, "wrote %s: take the # away from what you want\n", shown)
	return err
}

// create writes a file that must not be there yet, whole or not at all.
func create(name, text string) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		_ = os.Remove(name)
	}
	return err
}
