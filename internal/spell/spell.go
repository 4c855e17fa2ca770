// Package spell finds the name that a misspelt one was meant to be.
package spell

import "strings"

// Nearest returns the candidate that name was probably meant to be, or "".
// Short names must be closer than long ones, or everything resembles them.
func Nearest(name string, candidates []string) string {
	best, bestDist := "", min(len(name), 1+max(1, min(len(name)/3, 3)))
	for _, c := range candidates {
		if d := Distance(strings.ToLower(name), strings.ToLower(c)); d < bestDist {
			best, bestDist = c, d
		}
	}
	return best
}

// Distance is the number of bytes to insert, delete, replace or swap with
// their neighbour to turn a into b.
func Distance(a, b string) int {
	before, prev := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := range len(a) {
		row := make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(prev[j+1]+1, row[j]+1, prev[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, prev = prev, row
	}
	return prev[len(b)]
}
