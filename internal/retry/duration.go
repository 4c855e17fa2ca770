package retry

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// jsonDuration is a duration in the JSON form of protocol buffers, decimal
// seconds with an s, as grpc-go reads it: "1.5s", ".5s" and "2.s".
type jsonDuration time.Duration

// maxProtoSeconds is the range that protocol buffers give a duration.
const maxProtoSeconds = 315_576_000_000

// UnmarshalJSON fails on whatever is no string, null included.
func (d *jsonDuration) UnmarshalJSON(b []byte) error {
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	got, err := parseDuration(s)
	*d = jsonDuration(got)
	return err
}

func parseDuration(s string) (time.Duration, error) {
	digits, ok := strings.CutSuffix(s, "s")
	if !ok {
		return 0, errors.New("it does not end in s")
	}
	digits, negative := strings.CutPrefix(digits, "-")
	whole, fraction, _ := strings.Cut(digits, ".")
	if strings.Contains(fraction, ".") {
		return 0, errors.New("it has two decimal points")
	}
	if whole == "" && fraction == "" {
		return 0, errors.New("it has no digits")
	}
	if len(fraction) > 9 {
		return 0, errors.New("it has more than nine decimals")
	}
	sec, err := parseDigits(whole)
	if err != nil {
		return 0, err
	}
	if sec > maxProtoSeconds {
		return 0, errors.New("it is out of range")
	}
	ns, err := parseDigits(fraction)
	if err != nil {
		return 0, err
	}
	for range 9 - len(fraction) {
		ns *= 10
	}
	if negative {
		sec, ns = -sec, -ns
	}
	return saturated(sec, ns), nil
}

// parseDigits reads an integer, which may have a sign of its own: grpc-go
// takes "--1s" and "1.-5s".
func parseDigits(s string) (int64, error) {
	if s == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is no number of seconds", s)
	}
	return n, nil
}

// saturated is the sum in a time.Duration, cut off at its range.
func saturated(sec, ns int64) time.Duration {
	const limit = math.MaxInt64 / int64(time.Second)
	const rest = math.MaxInt64 % int64(time.Second)
	switch {
	case sec > limit || sec == limit && ns >= rest:
		return math.MaxInt64
	case sec < -limit || sec == -limit && ns <= -rest-1:
		return math.MinInt64
	}
	return time.Duration(sec*int64(time.Second) + ns)
}

// formatSeconds writes a duration in the form that grpc-go reads.
func formatSeconds(d time.Duration) string {
	s := strconv.FormatFloat(d.Seconds(), 'f', 9, 64)
	return strings.TrimRight(strings.TrimRight(s, "0"), ".") + "s"
}
