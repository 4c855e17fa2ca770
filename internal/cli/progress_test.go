package cli

import (
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// screen is a terminal that several goroutines may write to.
type screen struct {
	mu   sync.Mutex
	text strings.Builder
}

func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(b)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

func TestProgressOfALongRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := new(screen)
		pr := newProgress(s, true, false)
		pr.stage("loading")
		time.Sleep(900 * time.Millisecond)
		if s.String() != "" {
			t.Errorf("after less than a second: %q", s)
		}
		time.Sleep(1200 * time.Millisecond)
		pr.stage("analysing")
		time.Sleep(time.Second)
		pr.stop()
		pr.stop()
		want := "\r\x1b[Kctxprop: loading, 1 s\r\x1b[Kctxprop: loading, 2 s\r\x1b[Kctxprop: analysing, 3 s\r\x1b[K"
		if s.String() != want {
			t.Errorf("got %q, want %q", s, want)
		}
	})
}

func TestNoProgressOfAShortRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := new(screen)
		pr := newProgress(s, true, false)
		pr.stage("loading")
		time.Sleep(500 * time.Millisecond)
		pr.stop()
		time.Sleep(5 * time.Second)
		if s.String() != "" {
			t.Errorf("got %q", s)
		}
	})
}

func TestNoProgressInAFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := new(screen)
		pr := startProgress(s, false)
		pr.stage("loading")
		time.Sleep(5 * time.Second)
		pr.stop()
		if s.String() != "" {
			t.Errorf("got %q", s)
		}
	})
}

func TestVerboseListsTheStages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := new(screen)
		pr := newProgress(s, true, true)
		pr.stage("loading")
		time.Sleep(2500 * time.Millisecond)
		pr.stage("analysing")
		pr.stop()
		if want := "ctxprop: loading: 2.5 s\nctxprop: analysing: 0.0 s\n"; s.String() != want {
			t.Errorf("got %q, want %q", s, want)
		}
	})
}
