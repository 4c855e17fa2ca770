package rewrite

import (
	"fmt"
	"slices"
	"strings"
)

// around is how many unchanged lines a hunk shows before and after its changes.
const around = 3

// Diff is the change as a unified diff, with the names a/NAME and b/NAME as
// git writes them, or "" if there is none.
func Diff(name, old, new string) string {
	if old == new {
		return ""
	}
	a, b := strings.SplitAfter(old, "\n"), strings.SplitAfter(new, "\n")
	var out strings.Builder
	fmt.Fprintf(&out, "--- a/%s\n+++ b/%s\n", name, name)
	for _, h := range hunks(script(trimLast(a), trimLast(b))) {
		h.write(&out)
	}
	return out.String()
}

// trimLast drops the empty text behind the last line break.
func trimLast(lines []string) []string {
	if n := len(lines); n > 0 && lines[n-1] == "" {
		return lines[:n-1]
	}
	return lines
}

// line is a line of one side or, by a blank, of both.
type line struct {
	op   byte // ' ', '-' or '+'
	text string
}

// script is a shortest sequence of lines that makes b of a, after E. W. Myers,
// "An O(ND) difference algorithm and its variations", 1986. Removals come
// before the insertions that take their place.
func script(a, b []string) []line {
	prefix := 0
	for prefix < len(a) && prefix < len(b) && a[prefix] == b[prefix] {
		prefix++
	}
	suffix := 0
	for suffix < len(a)-prefix && suffix < len(b)-prefix && a[len(a)-1-suffix] == b[len(b)-1-suffix] {
		suffix++
	}
	out := lines(' ', a[:prefix])
	out = append(out, shortest(a[prefix:len(a)-suffix], b[prefix:len(b)-suffix])...)
	return append(out, lines(' ', a[len(a)-suffix:])...)
}

func lines(op byte, texts []string) []line {
	var out []line
	for _, t := range texts {
		out = append(out, line{op, t})
	}
	return out
}

func shortest(a, b []string) []line {
	// furthest[k] is how far in a the paths come that have removed k lines more
	// than they have inserted; trace keeps it for each number of edits.
	furthest := map[int]int{1: 0}
	var trace []map[int]int
	for d := 0; ; d++ {
		step := make(map[int]int, d+2)
		for k := -d; k <= d; k += 2 {
			x := furthest[k-1] + 1
			if k == -d || k != d && furthest[k-1] < furthest[k+1] {
				x = furthest[k+1]
			}
			y := x - k
			for x < len(a) && y < len(b) && a[x] == b[y] {
				x, y = x+1, y+1
			}
			step[k] = x
			if x >= len(a) && y >= len(b) {
				return walkBack(a, b, append(trace, step))
			}
		}
		trace = append(trace, step)
		furthest = step
	}
}

// walkBack reads the path off the trace, from its end.
func walkBack(a, b []string, trace []map[int]int) []line {
	var reversed []line
	x, y := len(a), len(b)
	for d := len(trace) - 1; d > 0; d-- {
		k := x - y
		before := trace[d-1]
		down := k == -d || k != d && before[k-1] < before[k+1]
		// Where the path leaves the edit, to follow the lines that are equal.
		fromX := before[k-1] + 1
		if down {
			fromX = before[k+1]
		}
		for x > fromX {
			x, y = x-1, y-1
			reversed = append(reversed, line{' ', a[x]})
		}
		if down {
			y--
			reversed = append(reversed, line{'+', b[y]})
		} else {
			x--
			reversed = append(reversed, line{'-', a[x]})
		}
	}
	for x > 0 {
		x--
		reversed = append(reversed, line{' ', a[x]})
	}
	slices.Reverse(reversed)
	return removalsFirst(reversed)
}

// removalsFirst orders the changes between two unchanged lines.
func removalsFirst(ls []line) []line {
	var out, added []line
	for _, l := range ls {
		switch l.op {
		case '+':
			added = append(added, l)
		case '-':
			out = append(out, l)
		default:
			out = append(append(out, added...), l)
			added = nil
		}
	}
	return append(out, added...)
}

// hunk is a run of changes with the lines around them. Lines count from 1.
type hunk struct {
	a, b  int
	lines []line
}

func hunks(ls []line) []*hunk {
	var out []*hunk
	var open *hunk
	a, b, same := 1, 1, 0
	for i, l := range ls {
		if l.op != ' ' {
			if open == nil || same > 2*around {
				if open != nil {
					open.lines = open.lines[:len(open.lines)-same+around]
				}
				before := min(around, i)
				open = &hunk{a: a - before, b: b - before, lines: append([]line(nil), ls[i-before:i]...)}
				out = append(out, open)
			}
			same = 0
		} else {
			same++
		}
		if open != nil {
			open.lines = append(open.lines, l)
		}
		if l.op != '+' {
			a++
		}
		if l.op != '-' {
			b++
		}
	}
	if open != nil && same > around {
		open.lines = open.lines[:len(open.lines)-same+around]
	}
	return out
}

func (h *hunk) write(out *strings.Builder) {
	olds, news := 0, 0
	for _, l := range h.lines {
		if l.op != '+' {
			olds++
		}
		if l.op != '-' {
			news++
		}
	}
	fmt.Fprintf(out, "@@ -%s +%s @@\n", extent(h.a, olds), extent(h.b, news))
	for _, l := range h.lines {
		fmt.Fprintf(out, "%c%s", l.op, l.text)
		if !strings.HasSuffix(l.text, "\n") {
			out.WriteString("\n\\ No newline at end of file\n")
		}
	}
}

// extent is a range of lines: one that is empty begins after the line before.
func extent(first, n int) string {
	switch n {
	case 0:
		return fmt.Sprintf("%d,0", first-1)
	case 1:
		return fmt.Sprint(first)
	}
	return fmt.Sprintf("%d,%d", first, n)
}
