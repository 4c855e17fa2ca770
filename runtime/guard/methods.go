package guard

import (
	"fmt"
	"maps"
	"strings"
	"sync"
	"sync/atomic"
)

// maxMethods bounds what callers can make a process remember, and the number
// of its time series: methods beyond share one entry.
const maxMethods = 1000

const otherMethod = "/other/other"

// methods holds what is known of each full method, made when it is first used.
// Reading neither locks nor allocates.
type methods[T any] struct {
	make  func(method string) *T
	known atomic.Pointer[map[string]*T]
	mu    sync.Mutex // of writers
}

func (ms *methods[T]) get(method string) *T {
	if known := ms.known.Load(); known != nil {
		if m, ok := (*known)[method]; ok {
			return m
		}
	}
	return ms.add(method)
}

func (ms *methods[T]) add(method string) *T {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	next := map[string]*T{}
	if known := ms.known.Load(); known != nil {
		if len(*known) >= maxMethods {
			method = otherMethod
		}
		if m, ok := (*known)[method]; ok {
			return m
		}
		next = maps.Clone(*known)
	}
	m := ms.make(method)
	next[method] = m
	ms.known.Store(&next)
	return m
}

// checkMethod says what is wrong with a key of an option.
func checkMethod(option, method string) error {
	service, name, ok := strings.Cut(strings.TrimPrefix(method, "/"), "/")
	if !strings.HasPrefix(method, "/") || !ok || service == "" || name == "" || strings.Contains(name, "/") {
		return fmt.Errorf("guard: %s has %q: a full method is like /orders.Orders/Get", option, method)
	}
	return nil
}
