// Package mid passes on what package store does.
package mid

import "severed/store"

type Service struct{ Store *store.Store }

func (s *Service) Recommend(id string) error {
	if err := s.prepare(); err != nil {
		return err
	}
	return s.Store.Profile(id)
}

func (s *Service) prepare() error { return s.Store.Both() }

// Each runs f for each id, so that losses in f pass through it.
func Each(ids []string, f func(id string) error) error {
	for _, id := range ids {
		if err := f(id); err != nil {
			return err
		}
	}
	return nil
}
