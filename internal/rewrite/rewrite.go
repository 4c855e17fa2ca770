// Package rewrite changes files: all of a set or none, and each as a whole.
package rewrite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Change is a new content of a file that is there.
type Change struct {
	Name     string // absolute
	Old, New string
}

// Write makes the changes. It refuses, before it changes anything, if a file is
// no longer what it was, may not be written or is not a regular file. New
// contents are first written beside the files, and then renamed; if that fails
// midway, the files that were renamed are put back. Permissions are kept, and
// what a symbolic link points to is changed, not the link.
func Write(changes []Change) error {
	staged := make([]*stagedFile, 0, len(changes))
	defer func() {
		for _, s := range staged {
			_ = os.Remove(s.temp) // those that are not in place
		}
	}()
	for _, c := range changes {
		s, err := stage(c)
		if err != nil {
			return fmt.Errorf("nothing was changed: %w", err)
		}
		staged = append(staged, s)
	}
	for _, s := range staged { // writing has taken time
		if err := s.unchanged(); err != nil {
			return fmt.Errorf("nothing was changed: %w", err)
		}
	}
	for i, s := range staged {
		if err := os.Rename(s.temp, s.target); err != nil {
			return putBack(staged[:i], err)
		}
	}
	return nil
}

// stagedFile is a change whose new content lies beside the file.
type stagedFile struct {
	Change
	target string // without symbolic links
	temp   string
	mode   fs.FileMode
}

func stage(c Change) (*stagedFile, error) {
	target, err := filepath.EvalSymlinks(c.Name)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(target)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file", c.Name)
	case info.Mode().Perm()&0o200 == 0:
		return nil, fmt.Errorf("%s is read-only; make it writable, or leave its package out", c.Name)
	}
	s := &stagedFile{Change: c, target: target, mode: info.Mode().Perm()}
	if err := s.unchanged(); err != nil {
		return nil, err
	}
	s.temp, err = writeBeside(target, c.New, s.mode)
	return s, err
}

func (s *stagedFile) unchanged() error {
	text, err := os.ReadFile(s.target)
	if err != nil {
		return err
	}
	if string(text) != s.Old {
		return fmt.Errorf("%s has changed since it was analysed; run again", s.Name)
	}
	return nil
}

// writeBeside writes a file into the directory of another one, where no
// package takes it for its own, and returns its name.
func writeBeside(target, text string, mode fs.FileMode) (string, error) {
	f, err := os.CreateTemp(filepath.Dir(target), ".ctxprop-*.tmp")
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(text)
	err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
	if err != nil {
		_ = os.Remove(f.Name())
		return "", err
	}
	return f.Name(), nil
}

// putBack undoes the renames, and returns why.
func putBack(done []*stagedFile, cause error) error {
	for _, s := range done {
		temp, err := writeBeside(s.target, s.Old, s.mode)
		if err == nil {
			err = os.Rename(temp, s.target)
		}
		if err != nil {
			return fmt.Errorf("%w; %s could not be put back (%v) and is as it should have become", cause, s.Name, err)
		}
	}
	return fmt.Errorf("nothing was changed: %w", cause)
}

// Create writes a file, which may be there, by way of another one beside it: it
// stays as it is unless the new one is complete. Permissions are kept, what a
// symbolic link points to is written and not the link, and what is no regular
// file, such as /dev/stdout, is written to as it is.
func Create(name, text string) error {
	target, mode := name, fs.FileMode(0o644)
	if resolved, err := filepath.EvalSymlinks(name); err == nil {
		info, err := os.Stat(resolved)
		if err != nil {
			return err
		}
		if !info.Mode().IsRegular() {
			return os.WriteFile(resolved, []byte(text), mode)
		}
		target, mode = resolved, info.Mode().Perm()
	}
	temp, err := writeBeside(target, text, mode)
	if beside, ok := errors.AsType[*fs.PathError](err); ok {
		return &fs.PathError{Op: beside.Op, Path: name, Err: beside.Err} // nobody knows the other one
	}
	if err != nil {
		return err
	}
	if err := os.Rename(temp, target); err != nil {
		_ = os.Remove(temp)
		return err
	}
	return nil
}
