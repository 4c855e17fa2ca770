// Package lib is a library that the catalog knows nothing of.
package lib

import "context"

func Get(key string) string { return "" }

func GetContext(ctx context.Context, key string) string { return "" }
