package retry

import (
	"strings"

	"github.com/ctxprop/ctxprop/internal/finding"
)

// maxRounds bounds how often an edit is tried with what it brings to light.
const maxRounds = 12

// maxWork bounds, in bytes to read again, how many fixes are tried out: a
// generated file with mistakes by the thousand gets no more.
const maxWork = 8 << 20

// mend tries every fix out, and keeps those after which the problem is gone
// and no other keeps the client from being built, nor a balancer that the
// program may not have. A key that is read at last
// may hold mistakes of its own; what repairs them becomes part of the fix.
func (c *ServiceConfig) mend() {
	budget := maxWork
	for i := range c.Problems {
		p := &c.Problems[i]
		if p.Edits == nil {
			continue
		}
		if p.Fix == "" {
			p.Fix = "Write " + strings.TrimSpace(p.Edits[0].New)
		}
		mended, ok := "", false
		if budget -= len(c.src); budget > 0 {
			mended, ok = c.tryOut(p)
		}
		if !ok {
			p.Fix, p.Edits = "", nil
		} else if Apply(c.src, p.Edits) != mended {
			p.Edits = []Edit{difference(c.src, mended)}
		}
	}
}

func (c *ServiceConfig) tryOut(p *Problem) (mended string, ok bool) {
	mended = Apply(c.src, p.Edits)
	tail := len(c.src) - c.reach(p)
	for range maxRounds {
		after := read(mended, c.client, c.words)
		if c.Refused || !after.Refused {
			return mended, after.count(p) < c.count(p) && (c.Balancer || !after.Balancer)
		}
		edits := after.repairs(p.Start, len(mended)-tail)
		if edits == nil {
			return "", false
		}
		mended = Apply(mended, edits)
	}
	return "", false
}

// count is the number of problems that are like p.
func (c *ServiceConfig) count(p *Problem) int {
	n := 0
	for _, q := range c.Problems {
		if q.Code == p.Code && q.Message == p.Message {
			n++
		}
	}
	return n
}

// reach is where the value of the key ends that the problem is about, or the
// problem itself.
func (c *ServiceConfig) reach(p *Problem) int {
	end := p.End
	var visit func(n *node)
	visit = func(n *node) {
		for _, m := range n.members {
			if m.keyStart == p.Start && m.keyStop == p.End {
				end = m.value.end
			}
			visit(m.value)
		}
		for _, e := range n.elems {
			visit(e)
		}
	}
	if c.tree != nil {
		visit(c.tree)
	}
	return end
}

// repairs are the edits, one at a time since they may depend on each other,
// that mend what is refused between two places, or ignored there.
func (c *ServiceConfig) repairs(start, end int) []Edit {
	for _, q := range c.Problems {
		if q.Start >= start && q.End <= end && q.Edits != nil && (q.Code == finding.InvalidPolicy || q.Code == finding.IneffectivePolicy) {
			return q.Edits
		}
	}
	return nil
}

// difference is the one edit that turns a into b.
func difference(a, b string) Edit {
	start := 0
	for start < len(a) && start < len(b) && a[start] == b[start] {
		start++
	}
	endA, endB := len(a), len(b)
	for endA > start && endB > start && a[endA-1] == b[endB-1] {
		endA, endB = endA-1, endB-1
	}
	return Edit{start, endA, b[start:endB]}
}
