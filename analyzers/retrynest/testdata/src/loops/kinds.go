package loops

import (
	"bytes"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// breaks only leaves the select.
func breaks(ctx context.Context, a api) (err error) {
	for i := range 20 {
		if _, err = a.Fetch(ctx, "1"); err == nil {
			return nil
		}
		select {
		case <-ctx.Done(): // want `loops.breaks goes on trying api.Fetch after ctx has ended: this case leaves the select, not the loop; return from it \(CTX303\)`
			break
		case <-time.After(wait(i)):
		}
	}
	return err
}

// looks asks the context at the head of the loop.
func looks(ctx context.Context, a api) (err error) {
	for i := 0; i < 20 && ctx.Err() == nil; i++ {
		if _, err = a.Fetch(ctx, "1"); err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
		case <-time.After(wait(i)):
		}
	}
	return err
}

// marks sets a flag in the Done case, which the loop asks for.
func marks(ctx context.Context, a api) (err error) {
	over := false
	for i := 0; i < 20 && !over; i++ {
		if _, err = a.Fetch(ctx, "1"); err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			over = true
		case <-time.After(wait(i)):
		}
	}
	return err
}

func wait(i int) time.Duration {
	gap := min(100*time.Millisecond<<i, 5*time.Second)
	return gap/2 + rand.N(gap/2)
}

type repeater struct{ times int }

func (r repeater) run(ctx context.Context, do func(ctx context.Context) error) (err error) {
	for i := 0; i < r.times; i++ { // want `repeater.run tries do again for as long as it fails: .*CTX302`
		if err = do(ctx); err == nil {
			return nil
		}
	}
	return err
}

var untilDone = repeater{times: math.MaxInt}

// counted is bounded, and a leaves on its context whatever the number says.
type counted struct{ times int }

func (c counted) run(ctx context.Context, do func(ctx context.Context) error) (err error) {
	for i := 0; i < c.times; i++ {
		if err = do(ctx); err == nil {
			return nil
		}
		select {
		case <-time.After(wait(i)):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return err
}

var ofMany = counted{times: math.MaxInt}

func uses(ctx context.Context, a api) error {
	fetch := func(ctx context.Context) error { _, err := a.Fetch(ctx, "1"); return err }
	return errors.Join(untilDone.run(ctx, fetch), ofMany.run(ctx, fetch))
}

// startsOver counts from zero in each round.
func startsOver(ctx context.Context, a api) error {
	for { // want `loops.startsOver tries api.Fetch again for as long as it fails: .*CTX302`
		tries := 0
		_, err := a.Fetch(ctx, "1")
		if err == nil {
			return nil
		}
		if tries++; tries >= 5 {
			return err
		}
		time.Sleep(wait(1))
	}
}

func statuses(ctx context.Context, hc *http.Client, url string) (*http.Response, error) {
	for i := 0; ; i++ { // want `loops.statuses tries Client.Do again for as long as it fails: .*CTX302`
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return nil, err
		}
		resp, err := hc.Do(req)
		if err == nil && resp.StatusCode < 500 {
			return resp, nil
		}
		time.Sleep(wait(i))
	}
}

func transient(err error) bool {
	return errors.Is(err, driver.ErrBadConn) || errors.Is(err, context.DeadlineExceeded) // want `loops.name tries DB.QueryRowContext again when the deadline has passed, on the same context.*CTX303`
}

// name asks for the deadline in a predicate, and the context is that of the
// query whose row it scans.
func name(ctx context.Context, db *sql.DB) (name string, err error) {
	for i := range 5 {
		err = db.QueryRowContext(ctx, "select name").Scan(&name)
		if err == nil || !transient(err) {
			return name, err
		}
		select {
		case <-time.After(wait(i)):
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
	return "", err
}

type terminal struct {
	net.Dialer
	conn net.Conn
}

func (t *terminal) ensure(ctx context.Context) (net.Conn, error) {
	c, err := t.DialContext(ctx, "tcp", "a:1")
	if err != nil {
		time.Sleep(3 * time.Second)
		return t.ensure(ctx) // want `terminal.ensure tries Dialer.DialContext again for as long as it fails: .*CTX302`
	}
	return c, nil
}

// few counts down and sleeps through the end.
func (t *terminal) few(ctx context.Context, left int) (net.Conn, error) {
	c, err := t.DialContext(ctx, "tcp", "a:1")
	if err != nil && left > 0 {
		time.Sleep(3 * time.Second)
		return t.few(ctx, left-1) // want `terminal.few goes on trying Dialer.DialContext, and waiting, after ctx has ended; .*CTX303`
	}
	return c, err
}

// hears waits for either.
func (t *terminal) hears(ctx context.Context, left int) (net.Conn, error) {
	c, err := t.DialContext(ctx, "tcp", "a:1")
	if err == nil || left == 0 {
		return c, err
	}
	select {
	case <-time.After(wait(left)):
		return t.hears(ctx, left-1)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Run dials again at once, also when the line was good for a while.
func (t *terminal) Run(ctx context.Context, use func(net.Conn)) {
	for { // want `terminal.Run tries Dialer.DialContext again at once when it fails: .*CTX304`
		c, err := t.DialContext(ctx, "tcp", "a:1")
		if err != nil {
			continue
		}
		use(c)
	}
}

var passing = map[codes.Code]bool{
	codes.Unavailable:     true,
	codes.InvalidArgument: true, // want `loops.byMap tries api.Fetch again when it fails with INVALID_ARGUMENT, as the same request must again; leave on that \(CTX306\)`
	codes.Unimplemented:   false,
}

func byMap(ctx context.Context, a api) (err error) {
	for i := range 5 {
		if _, err = a.Fetch(ctx, "1"); err == nil || !passing[status.Code(err)] {
			return err
		}
		if err := pause(ctx, i); err != nil {
			return err
		}
	}
	return err
}

func pause(ctx context.Context, i int) error {
	select {
	case <-time.After(wait(i)):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

var alsoPassing = []codes.Code{codes.Unavailable, codes.Unimplemented} // want `loops.byList tries api.Fetch again when it fails with UNIMPLEMENTED`

func byList(ctx context.Context, a api) (err error) {
	for i := range 5 {
		if _, err = a.Fetch(ctx, "1"); err == nil || !slices.Contains(alsoPassing, status.Code(err)) {
			return err
		}
		if err := pause(ctx, i); err != nil {
			return err
		}
	}
	return err
}

func bySwitch(ctx context.Context, a api) (err error) {
	for i := range 5 {
		_, err = a.Fetch(ctx, "1")
		switch status.Code(err) {
		case codes.OK:
			return nil
		case codes.Unavailable, codes.InvalidArgument: // want `loops.bySwitch tries api.Fetch again when it fails with INVALID_ARGUMENT`
		default:
			return err
		}
		if err := pause(ctx, i); err != nil {
			return err
		}
	}
	return err
}

// allButOne names no code to try again on.
func allButOne(ctx context.Context, a api) (err error) {
	for i := range 5 {
		if _, err = a.Fetch(ctx, "1"); err == nil || status.Code(err) == codes.FailedPrecondition {
			return err
		}
		if err := pause(ctx, i); err != nil {
			return err
		}
	}
	return err
}

// untilThere waits for what another writes.
func untilThere(ctx context.Context, a api) (err error) {
	for i := range 5 {
		if _, err = a.Fetch(ctx, "1"); status.Code(err) != codes.NotFound {
			return err
		}
		if err := pause(ctx, i); err != nil {
			return err
		}
	}
	return err
}

type session struct {
	api   api
	token []byte
}

// renews sends something else after each refusal.
func (s *session) renews(ctx context.Context, token func() []byte) (err error) {
	for i := range 5 {
		err = s.api.Send(ctx, s.token)
		if c := status.Code(err); c != codes.InvalidArgument && c != codes.Unauthenticated {
			return err
		}
		s.token = token()
		if err := pause(ctx, i); err != nil {
			return err
		}
	}
	return err
}

// growing is a map that is added to.
var growing = map[codes.Code]bool{codes.InvalidArgument: true}

func init() { growing[codes.Unavailable] = true }

func byGrowing(ctx context.Context, a api) (err error) {
	for i := range 5 {
		if _, err = a.Fetch(ctx, "1"); err == nil || !growing[status.Code(err)] {
			return err
		}
		if err := pause(ctx, i); err != nil {
			return err
		}
	}
	return err
}

// upload makes the request anew, but not the body.
func upload(ctx context.Context, hc *http.Client, body io.Reader) (err error) {
	for i := range 3 {
		req, err := http.NewRequestWithContext(ctx, http.MethodPut, "http://a", body) // want `loops.upload tries Client.Do again with a body that the first attempt has read, so that the others send none; .*CTX306`
		if err != nil {
			return err
		}
		if resp, err := hc.Do(req); err == nil {
			return resp.Body.Close()
		}
		if err := pause(ctx, i); err != nil {
			return err
		}
	}
	return err
}

func uploads(ctx context.Context, hc *http.Client) error {
	return upload(ctx, hc, strings.NewReader("a"))
}

// sameRequest is sent three times, its body once.
func sameRequest(ctx context.Context, hc *http.Client, page []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, "http://a", bytes.NewReader(page)) // want `loops.sameRequest tries Client.Do again with a body that`
	if err != nil {
		return err
	}
	for i := range 3 {
		if resp, err := hc.Do(req); err == nil {
			return resp.Body.Close()
		}
		if err := pause(ctx, i); err != nil {
			return err
		}
	}
	return err
}

// anew makes the body for each attempt.
func anew(ctx context.Context, hc *http.Client, page []byte) (err error) {
	for i := range 3 {
		req, err := http.NewRequestWithContext(ctx, http.MethodPut, "http://a", bytes.NewReader(page))
		if err != nil {
			return err
		}
		if resp, err := hc.Do(req); err == nil {
			return resp.Body.Close()
		}
		if err := pause(ctx, i); err != nil {
			return err
		}
	}
	return err
}

// rewinds the body before each attempt.
func rewinds(ctx context.Context, hc *http.Client, body io.ReadSeeker) (err error) {
	for i := range 3 {
		if _, err := body.Seek(0, io.SeekStart); err != nil {
			return err
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodPut, "http://a", body)
		if err != nil {
			return err
		}
		if resp, err := hc.Do(req); err == nil {
			return resp.Body.Close()
		}
		if err := pause(ctx, i); err != nil {
			return err
		}
	}
	return err
}

// getsBody asks the request for a new body.
func getsBody(ctx context.Context, hc *http.Client, page []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, "http://a", bytes.NewReader(page))
	if err != nil {
		return err
	}
	for i := range 3 {
		if req.Body, err = req.GetBody(); err != nil {
			return err
		}
		if resp, err := hc.Do(req); err == nil {
			return resp.Body.Close()
		}
		if err := pause(ctx, i); err != nil {
			return err
		}
	}
	return err
}

// bare has no body in any of its calls.
func bare(ctx context.Context, hc *http.Client, body io.Reader) (err error) {
	for i := range 3 {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://a", body)
		if err != nil {
			return err
		}
		if resp, err := hc.Do(req); err == nil {
			return resp.Body.Close()
		}
		if err := pause(ctx, i); err != nil {
			return err
		}
	}
	return err
}

func bares(ctx context.Context, hc *http.Client) error { return bare(ctx, hc, nil) }

// passesOn gives its context to a request, and to a context for each attempt,
// and asks it nowhere.
func passesOn(ctx context.Context, hc *http.Client) (err error) {
	for i := range 5 { // want `loops.passesOn goes on trying Client.Do, and waiting, after ctx has ended; .*CTX303`
		each, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		req, err := http.NewRequestWithContext(each, http.MethodGet, "http://a", nil)
		if err != nil {
			return err
		}
		if resp, err := hc.Do(req); err == nil {
			return resp.Body.Close()
		}
		<-time.After(wait(i))
	}
	return err
}

type gate interface {
	Allow(ctx context.Context) error
}

// asksElsewhere has somebody else look at the context.
func asksElsewhere(ctx context.Context, a api, l gate) (err error) {
	for i := range 5 {
		if err := l.Allow(ctx); err != nil {
			return err
		}
		if _, err = a.Fetch(ctx, "1"); err == nil {
			return nil
		}
		<-time.After(wait(i))
	}
	return err
}
