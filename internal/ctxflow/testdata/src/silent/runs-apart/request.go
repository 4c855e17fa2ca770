package apart

import (
	"log"
	"net/http"
	"time"
)

type notifier struct{ url string }

func (n *notifier) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	go n.notify(r)
	n.tell(r)
}

// notify runs apart from the handler only: the request has ended by then, and
// its context with it.
func (n *notifier) notify(r *http.Request) {
	time.Sleep(time.Second) // silent: runs-apart
	log.Print(r.URL)
}

// tell is called as well.
func (n *notifier) tell(r *http.Request) {
	time.Sleep(time.Second) // reported: CTX203
	log.Print(r.URL)
}
