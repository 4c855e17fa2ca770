// Package loops has retries that do not end, do not hear and do not wait, and
// look-alikes.
package loops

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

type api interface {
	Fetch(ctx context.Context, id string) (string, error)
	List(prefix string) ([]string, error)
	Send(ctx context.Context, data []byte) error
}

type server struct {
	api api
	db  *sql.DB
	n   int
	gap pacer
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	s.endless(ctx)
	s.endlessWithoutContext(ctx)
	s.recursive(ctx)
	s.untilDone(ctx)
	s.leavesOnContext(ctx)
	s.timed(ctx)
	s.sleeps(ctx)
	s.sleepsBriefly(ctx)
	s.sleepsAndLooks(ctx)
	s.onlyUnavailable(ctx)
	s.paced(ctx)
	s.sharedDeadline(ctx)
	s.ownDeadline(ctx)
	s.byName(ctx)
	s.tight(ctx)
	s.twice(ctx)
	s.conflicts(ctx)
	s.notAfterLast(ctx)
	s.backoffElsewhere(ctx)
	s.reopens(ctx)
	s.worker(ctx)
	s.poll(ctx)
	s.cas(ctx)
	s.outlives(ctx)
	s.outlivesByWaits(ctx)
	s.fits(ctx)
	s.flat(ctx)
	s.jittered(ctx)
	s.saves(ctx, nil)
	s.replicas(ctx, nil)
}

func (s *server) endless(ctx context.Context) string {
	for { // want `server.endless tries api.Fetch again for as long as it fails: no count, no time and no context ends that; give it a bound \(CTX302\)`
		v, err := s.api.Fetch(ctx, "1")
		if err == nil {
			return v
		}
		time.Sleep(time.Second)
	}
}

func (s *server) endlessWithoutContext(ctx context.Context) []string {
	names, err := s.api.List("a")
	for err != nil { // want `CTX302`
		log.Print(err)
		time.Sleep(time.Second)
		names, err = s.api.List("a")
	}
	return names
}

// Every failure but the context's end comes round again: the context ends it.
func (s *server) untilDone(ctx context.Context) (string, error) {
	for ctx.Err() == nil {
		v, err := s.api.Fetch(ctx, "1")
		if err == nil {
			return v, nil
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
		}
	}
	return "", ctx.Err()
}

// So it is here, where the call itself brings the news.
func (s *server) leavesOnContext(ctx context.Context) (string, error) {
	for {
		v, err := s.api.Fetch(ctx, "1")
		if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
			return v, err
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
}

// A time ends it.
func (s *server) timed(ctx context.Context) (string, error) {
	start := time.Now()
	for {
		v, err := s.api.Fetch(ctx, "1")
		if err == nil || time.Since(start) > time.Minute {
			return v, err
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
}

func (s *server) recursive(ctx context.Context) (string, error) {
	v, err := s.api.Fetch(ctx, "1")
	if err != nil {
		return s.recursive(ctx) // want `server.recursive tries api.Fetch again for as long as it fails: .*CTX302`
	}
	return v, nil
}

func (s *server) sleeps(ctx context.Context) (v string, err error) {
	for range 5 { // want `server.sleeps goes on trying api.Fetch, and waiting, after ctx has ended; wait in a select with its Done \(CTX303\)`
		if v, err = s.api.Fetch(ctx, "1"); err == nil {
			return v, nil
		}
		time.Sleep(time.Second)
	}
	return "", err
}

// Two attempts wait once.
func (s *server) sleepsBriefly(ctx context.Context) (v string, err error) {
	for range 2 {
		if v, err = s.api.Fetch(ctx, "1"); err == nil {
			return v, nil
		}
		time.Sleep(time.Second)
	}
	return "", err
}

// The loop looks at the context itself.
func (s *server) sleepsAndLooks(ctx context.Context) (v string, err error) {
	for range 5 {
		if v, err = s.api.Fetch(ctx, "1"); err == nil || ctx.Err() != nil {
			return v, err
		}
		time.Sleep(time.Second)
	}
	return "", err
}

// The context's end is not what is repeated.
func (s *server) onlyUnavailable(ctx context.Context) (v string, err error) {
	for range 5 {
		if v, err = s.api.Fetch(ctx, "1"); status.Code(err) != codes.Unavailable {
			return v, err
		}
		time.Sleep(time.Second)
	}
	return "", err
}

// pacer waits on a context that is nobody's.
type pacer struct{ ctx context.Context }

func newServer() *server { return &server{gap: pacer{context.Background()}} }

func (p *pacer) wait() {
	select {
	case <-time.After(time.Second):
	case <-p.ctx.Done():
	}
}

func (s *server) paced(ctx context.Context) (v string, err error) {
	for range 5 { // want `CTX303`
		if v, err = s.api.Fetch(ctx, "1"); status.Code(err) != codes.Unavailable {
			return v, err
		}
		s.gap.wait()
	}
	return "", err
}

func (s *server) sharedDeadline(ctx context.Context) (v string, err error) {
	for range 5 {
		v, err = s.api.Fetch(ctx, "1")
		if code := status.Code(err); code != codes.Unavailable && code != codes.DeadlineExceeded { // want `server.sharedDeadline tries api.Fetch again when the deadline has passed, on the same context, so that it fails again at once; give each attempt a deadline of its own, or leave \(CTX303\)`
			return v, err
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
	return "", err
}

// Each attempt has a deadline of its own.
func (s *server) ownDeadline(ctx context.Context) (v string, err error) {
	for range 5 {
		each, cancel := context.WithTimeout(ctx, time.Second)
		v, err = s.api.Fetch(each, "1")
		cancel()
		if code := status.Code(err); code != codes.Unavailable && code != codes.DeadlineExceeded {
			return v, err
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
	return "", err
}

// A deadline of its own for each attempt does not let the sleep hear.
func (s *server) deafWithDeadlines(ctx context.Context) (v string, err error) {
	for range 5 { // want `server.deafWithDeadlines goes on trying api.Fetch, and waiting, after ctx has ended; wait in a select with its Done \(CTX303\)`
		each, cancel := context.WithTimeout(ctx, time.Second)
		v, err = s.api.Fetch(each, "1")
		cancel()
		if err == nil {
			return v, nil
		}
		time.Sleep(time.Second)
	}
	return "", err
}

// holds asks whether a lease is still there.
var holds func(ctx context.Context) bool

// What is asked with the context may be what hears.
func (s *server) leased(ctx context.Context) (v string, err error) {
	for range 5 {
		if v, err = s.api.Fetch(ctx, "1"); err == nil {
			return v, nil
		}
		time.Sleep(time.Second)
		if !holds(ctx) {
			return "", err
		}
	}
	return "", err
}

// So does the name of the error.
func (s *server) byName(ctx context.Context) (v string, err error) {
	for range 5 {
		v, err = s.api.Fetch(ctx, "1")
		if !errors.Is(err, context.DeadlineExceeded) { // want `CTX303`
			return v, err
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
	return "", err
}

func (s *server) tight(ctx context.Context) (err error) {
	for range 5 { // want `server.tight tries DB.ExecContext again at once when it fails: without a wait between them the attempts hit a service that is overloaded already; wait, longer each time, with jitter \(CTX304\)`
		if _, err = s.db.ExecContext(ctx, "update"); err == nil {
			return nil
		}
	}
	return err
}

// One more try at once does no harm.
func (s *server) twice(ctx context.Context) (err error) {
	for range 2 {
		if _, err = s.db.ExecContext(ctx, "update"); err == nil {
			return nil
		}
	}
	return err
}

var errConflict = errors.New("conflict")

// What was lost to another writer is tried again at once, and rightly.
func (s *server) conflicts(ctx context.Context) (err error) {
	for range 5 {
		if _, err = s.db.ExecContext(ctx, "update"); status.Code(err) != codes.Aborted {
			return err
		}
	}
	return err
}

// There is no wait after the last attempt.
func (s *server) notAfterLast(ctx context.Context) (err error) {
	for i := range 5 {
		if _, err = s.db.ExecContext(ctx, "update"); err == nil {
			return nil
		}
		if i < 4 {
			select {
			case <-time.After(time.Second):
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
	return err
}

type limiter interface {
	Wait(ctx context.Context) error
}

var limit limiter

// The wait is at the loop's head.
func (s *server) backoffElsewhere(ctx context.Context) (err error) {
	for range 5 {
		if err := limit.Wait(ctx); err != nil {
			return err
		}
		if _, err = s.db.ExecContext(ctx, "update"); err == nil {
			return nil
		}
	}
	return err
}

// A failed opening is tried again at once, for as long as the context lives.
func (s *server) reopens(ctx context.Context) {
	for ctx.Err() == nil { // want `CTX304`
		rows, err := s.db.QueryContext(ctx, "listen")
		if err != nil {
			continue
		}
		for rows.Next() {
			log.Print("row")
		}
	}
}

// A worker goes round on success too.
func (s *server) worker(ctx context.Context) {
	for {
		if err := s.api.Send(ctx, nil); err != nil {
			log.Print(err)
			time.Sleep(time.Second)
		}
		if ctx.Err() != nil {
			return
		}
	}
}

// A poll waits for something to become so.
func (s *server) poll(ctx context.Context) error {
	for {
		v, err := s.api.Fetch(ctx, "1")
		if err != nil {
			return err
		}
		if v == "done" {
			return nil
		}
		time.Sleep(time.Second)
	}
}

// Nothing is called that could be away.
func (s *server) cas(ctx context.Context) error {
	for {
		if err := s.bump(); err == nil {
			return nil
		}
	}
}

func (s *server) bump() error {
	if s.n++; s.n%2 == 0 {
		return errConflict
	}
	return nil
}

func (s *server) outlives(ctx context.Context) (v string, err error) {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	for range 5 { // want `server.outlives tries api.Fetch for longer than it may: 5 attempts of 2s and waits of 1s take 14s, but their context ends after 3s: the last 4 can never start; make attempts fewer or shorter \(CTX305\)`
		each, stop := context.WithTimeout(ctx, 2*time.Second)
		v, err = s.api.Fetch(each, "1")
		stop()
		if err == nil || ctx.Err() != nil {
			return v, err
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
	return "", err
}

func (s *server) outlivesByWaits(ctx context.Context) (v string, err error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	for range 5 { // want `4 waits of 1s between 5 attempts take 4s, but their context ends after 2s: the last 3 can never start`
		if v, err = s.api.Fetch(ctx, "1"); err == nil {
			return v, nil
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
	return "", err
}

// The last attempt may be cut short, which is what the deadline is for.
func (s *server) fits(ctx context.Context) (v string, err error) {
	ctx, cancel := context.WithTimeout(ctx, 8*time.Second)
	defer cancel()
	for range 3 {
		each, stop := context.WithTimeout(ctx, 2*time.Second)
		v, err = s.api.Fetch(each, "1")
		stop()
		if err == nil || ctx.Err() != nil {
			return v, err
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
	return "", err
}

func (s *server) flat(ctx context.Context) (err error) {
	for range 4 { // want `server.flat waits 1s before each time it tries DB.ExecContext again: what failed together tries again together; wait longer each time, with jitter \(CTX311\)`
		if _, err = s.db.ExecContext(ctx, "update"); err == nil {
			return nil
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return err
}

func (s *server) jittered(ctx context.Context) (err error) {
	for n := range 4 {
		if _, err = s.db.ExecContext(ctx, "update"); err == nil {
			return nil
		}
		gap := time.Second << n
		select {
		case <-time.After(gap/2 + rand.N(gap)):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return err
}

type source interface{ Next() (string, error) }

// Each round works on what it has been brought.
func (s *server) saves(ctx context.Context, in source) {
	for ctx.Err() == nil {
		id, err := in.Next()
		if err != nil {
			return
		}
		if _, err := s.db.ExecContext(ctx, "insert", id); err != nil {
			log.Print(err)
		}
	}
}

type replica struct{ Host, Path string }

// The next replica is another one, however its name is put together.
func (s *server) replicas(ctx context.Context, all []replica) (err error) {
	for i, r := range all {
		name := fmt.Sprintf("http://%s/%s", r.Host, r.Path)
		if _, err = s.db.ExecContext(ctx, name); err == nil {
			return nil
		}
		log.Print(i, err)
	}
	return err
}

type logger interface {
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

type pager struct {
	db   *sql.DB
	log  logger
	more bool
}

// A logger that ends the process leaves the loop, whatever is behind it.
func (p *pager) pages(ctx context.Context) {
	for p.more {
		if _, err := p.db.ExecContext(ctx, "next page"); err != nil {
			p.log.Fatalf("no page: %v", err)
		}
	}
}

func (p *pager) pagesAgain(ctx context.Context) {
	for p.more { // want `CTX304`
		if _, err := p.db.ExecContext(ctx, "next page"); err != nil {
			p.log.Errorf("no page: %v", err)
			continue
		}
		p.more = false
	}
}

type rows interface {
	IsDuplicateError(err error) bool
	IsBusyError(err error) bool
}

type table struct {
	db   *sql.DB
	rows rows
}

type insertion struct{ id string }

// What is there already is looked for, and not made again.
func (t *table) getOrMake(ctx context.Context, in *insertion) error {
	_, err := t.db.ExecContext(ctx, "insert", in.id)
	if err != nil && t.rows.IsBusyError(err) {
		in.id = ""
		return t.getOrMake(ctx, in)
	}
	return err
}

// The same thing is asked for again at once.
func (t *table) makeAgain(ctx context.Context, in *insertion) error {
	_, err := t.db.ExecContext(ctx, "insert", in.id)
	if err != nil && t.rows.IsBusyError(err) {
		return t.makeAgain(ctx, in) // want `CTX304`
	}
	return err
}

// A duplicate is what another writer has made, whatever the predicate does.
func (t *table) untilUnique(ctx context.Context) (err error) {
	for range 10 {
		if _, err = t.db.ExecContext(ctx, "insert", rand.Int()); !t.rows.IsDuplicateError(err) {
			return err
		}
	}
	return err
}

func (t *table) untilFree(ctx context.Context) (err error) {
	for range 10 { // want `CTX304`
		if _, err = t.db.ExecContext(ctx, "lock"); !t.rows.IsBusyError(err) {
			return err
		}
	}
	return err
}

// Once it has begun it keeps itself up to date for ever: that is no retry, and
// no layer over what its attempts are made of.
func (s *server) keepsUp(ctx context.Context) {
	loaded := false
	for ctx.Err() == nil {
		if loaded {
			_ = s.thrice(ctx)
		} else if err := s.thrice(ctx); err == nil {
			loaded = true
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
		}
	}
}

func (s *server) untilLoaded(ctx context.Context) {
	for range 4 {
		if err := s.thrice(ctx); err == nil { // want `CTX301`
			return
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return
		}
	}
}

func (s *server) thrice(ctx context.Context) (err error) {
	for n := range 3 {
		if _, err = s.api.Fetch(ctx, "1"); err == nil {
			return nil
		}
		select {
		case <-time.After(time.Second << n):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return err
}

// The waits grow: 1s, 2s and 3s, of which the last is too long.
func (s *server) outlivesGrowing(ctx context.Context) (err error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	for i := range 5 { // want `4 waits of 1s to 4s between 5 attempts take 10s, but their context ends after 5s: the last 2 can never start; make attempts fewer or shorter \(CTX305\)`
		if _, err = s.db.ExecContext(ctx, "update"); err == nil {
			return nil
		}
		select {
		case <-time.After(time.Duration(i+1) * time.Second):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return err
}

func (s *server) outlivesDoubling(ctx context.Context) (err error) {
	ctx, cancel := context.WithDeadline(ctx, time.Now().Add(2*time.Second))
	defer cancel()
	gap := 500 * time.Millisecond
	for n := 0; n < 4; n++ { // want `3 waits of 500ms to 2s between 4 attempts take 3.5s, but their context ends after 2s: the last 1 can never start`
		if _, err = s.db.ExecContext(ctx, "update"); err == nil {
			return nil
		}
		select {
		case <-time.After(gap + rand.N(gap)):
		case <-ctx.Done():
			return ctx.Err()
		}
		gap = min(2*gap, 8*time.Second)
	}
	return err
}

// Each attempt gives itself its time.
func (s *server) outlivesInside(ctx context.Context) (err error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	for n := range 4 { // want `4 attempts of 3s take 12s, but their context ends after 5s: the last 2 can never start`
		if err = s.once(ctx); err == nil || ctx.Err() != nil {
			return err
		}
		select {
		case <-time.After(rand.N(100 * time.Millisecond << n)):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return err
}

func (s *server) once(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	_, err := s.db.ExecContext(ctx, "update")
	return err
}

// The waits may be as short as nothing, and their random part is unknown.
func (s *server) fitsByChance(ctx context.Context) (err error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	for range 9 {
		if _, err = s.db.ExecContext(ctx, "update"); err == nil {
			return nil
		}
		select {
		case <-time.After(rand.N(time.Second)):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return err
}

// The third begins before the deadline.
func (s *server) fitsGrowing(ctx context.Context) (err error) {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second+time.Millisecond)
	defer cancel()
	for i := range 3 {
		if _, err = s.db.ExecContext(ctx, "update"); err == nil {
			return nil
		}
		select {
		case <-time.After(time.Second << i):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return err
}

// A listener that cannot accept has nobody to overload.
func (s *server) accepts(ctx context.Context, l net.Listener) {
	for ctx.Err() == nil {
		c, err := l.Accept()
		if err != nil {
			continue
		}
		go c.Close()
	}
}

// In whatever file it is, this is a test, which its assertions end.
func checks(t testing.TB, ctx context.Context, db *sql.DB) {
	for range 100 {
		_, err := db.ExecContext(ctx, "select")
		assert(t, err == nil)
	}
}

var assert func(t testing.TB, holds bool)

// moved says where a thing is now.
type moved string

func (m moved) Error() string { return "moved to " + string(m) }

// Only what has moved is looked up again, elsewhere.
func (s *server) follows(ctx context.Context, id string) (v string, err error) {
	for range 10 {
		v, err = s.api.Fetch(ctx, "latest")
		if _, ok := err.(moved); !ok {
			return v, err
		}
	}
	return "", err
}

// failed may wrap anything.
type failed struct{ error }

func (f failed) Unwrap() error { return f.error }

func (s *server) repeatsFailed(ctx context.Context) (v string, err error) {
	for range 10 { // want `CTX304`
		v, err = s.api.Fetch(ctx, "latest")
		if _, ok := err.(failed); !ok {
			return v, err
		}
	}
	return "", err
}
