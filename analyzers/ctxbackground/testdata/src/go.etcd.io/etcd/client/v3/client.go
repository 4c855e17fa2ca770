// Package clientv3 has of the real one what the tests call.
package clientv3

import "context"

type KV interface {
	Txn(ctx context.Context) Txn
}

type Txn interface {
	If(cs ...any) Txn
	Then(ops ...any) Txn
	Commit() (any, error)
}

type Watcher interface {
	Watch(ctx context.Context, key string) <-chan any
}
