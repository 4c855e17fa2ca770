// Package suggest proposes what a customer may want to buy next.
package suggest

import "github.com/ctxprop/ctxprop/examples/shop/store"

// Engine makes suggestions from what customers bought before.
type Engine struct{ store *store.Store }

// New returns an engine that reads past orders from s.
func New(s *store.Store) *Engine { return &Engine{store: s} }

// For returns items for a customer, newest first, each once. It takes no
// context, so it has none to hand on: the fault below it is invisible here.
func (e *Engine) For(customer string) ([]string, error) {
	past, err := e.store.History(customer)
	if err != nil {
		return nil, err
	}
	seen := make(map[string]bool)
	var items []string
	for _, item := range past {
		if !seen[item] {
			seen[item] = true
			items = append(items, item)
		}
	}
	return items, nil
}
