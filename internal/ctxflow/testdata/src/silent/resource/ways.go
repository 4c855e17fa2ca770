package resource

import (
	"context"
	"sync"
	"sync/atomic"
)

type source interface {
	Open(ctx context.Context) (*handle, error)
	Read(ctx context.Context, into *string) error
}

type handle struct{ n int }

type wrapped struct{ h *handle }

type keeper struct {
	src   source
	all   sync.Map
	last  atomic.Pointer[handle]
	idle  []*handle
	named map[string]*wrapped
	text  *string
}

func (k *keeper) Map(ctx context.Context) {
	h, _ := k.src.Open(context.Background()) // silent: resource
	k.all.Store("1", h)
}

func (k *keeper) Atomic(ctx context.Context) {
	h, _ := k.src.Open(context.Background()) // silent: resource
	k.last.Store(h)
}

func (k *keeper) Append(ctx context.Context) {
	h, _ := k.src.Open(context.Background()) // silent: resource
	k.idle = append(k.idle, h)
}

func (k *keeper) Wrapped(ctx context.Context) {
	h, _ := k.src.Open(context.Background()) // silent: resource
	k.named["1"] = &wrapped{h: h}
}

func (k *keeper) Out(ctx context.Context) {
	var text string
	_ = k.src.Read(context.Background(), &text) // silent: resource
	k.text = &text
}

// Local keeps it for its own caller only.
func (k *keeper) Local(ctx context.Context) *wrapped {
	h, _ := k.src.Open(context.Background()) // reported: CTX101
	return &wrapped{h: h}
}
