// Package files walks over trees of files.
package files

import (
	"context"
	"io/fs"
	"net/http"
	"path/filepath"
)

func Sizes(ctx context.Context, root string) (total int64, err error) {
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error { // want `^the loop over a tree of files in files\.Sizes goes on past the deadline of the request in files\.handle; leave it when ctx\.Err\(\) is not nil \(CTX204\)$`
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			total += info.Size()
		}
		return err
	})
	return total, err
}

func handle(w http.ResponseWriter, r *http.Request) {
	if _, err := Sizes(r.Context(), "/srv"); err != nil {
		w.WriteHeader(http.StatusInternalServerError)
	}
}

func Asks(ctx context.Context, root string) error {
	return filepath.Walk(root, func(path string, d fs.FileInfo, err error) error { // silent: each step asks
		if err == nil {
			err = ctx.Err()
		}
		return err
	})
}

func visit(ctx context.Context, path string) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	default:
		return nil
	}
}

func Hands(ctx context.Context, root string) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error { // silent: what it hands the context to asks
		return visit(ctx, path)
	})
}

func Plain(root string) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error { return err }) // silent: it has no context
}
