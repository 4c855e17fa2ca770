package saturate

import "slices"

// mannWhitney returns the exact one-sided p-value that y is stochastically
// greater than x: the share of all ways to split the pooled values into groups
// of these sizes that give y a rank sum at least as large. Ties get midranks;
// ranks are doubled so that they stay whole.
func mannWhitney(x, y []float64) float64 {
	pool := slices.Concat(x, y)
	slices.Sort(pool)
	rank := map[float64]int{}
	for i := 0; i < len(pool); {
		j := i
		for j < len(pool) && pool[j] == pool[i] {
			j++
		}
		rank[pool[i]] = i + 1 + j
		i = j
	}
	observed, total := 0, 0
	for _, v := range y {
		observed += rank[v]
	}
	for _, v := range pool {
		total += rank[v]
	}
	// ways[k][s] is the number of ways to choose k values with rank sum s.
	ways := make([][]float64, len(y)+1)
	for k := range ways {
		ways[k] = make([]float64, total+1)
	}
	ways[0][0] = 1
	for _, v := range pool {
		for k := len(y); k >= 1; k-- {
			for s := total; s >= rank[v]; s-- {
				ways[k][s] += ways[k-1][s-rank[v]]
			}
		}
	}
	var all, extreme float64
	for s, n := range ways[len(y)] {
		all += n
		if s >= observed {
			extreme += n
		}
	}
	return extreme / all
}

// cliffsDelta is the share of pairs in which y is greater less the share in
// which it is smaller.
func cliffsDelta(x, y []float64) float64 {
	sum := 0
	for _, a := range x {
		for _, b := range y {
			switch {
			case b > a:
				sum++
			case b < a:
				sum--
			}
		}
	}
	return float64(sum) / float64(len(x)*len(y))
}

// hodgesLehmann is the median of the differences y-x over all pairs.
func hodgesLehmann(x, y []float64) float64 {
	var d []float64
	for _, a := range x {
		for _, b := range y {
			d = append(d, b-a)
		}
	}
	return median(d)
}

func median(x []float64) float64 {
	s := slices.Sorted(slices.Values(x))
	n := len(s)
	return (s[(n-1)/2] + s[n/2]) / 2
}

func spread(x []float64) Spread {
	return Spread{Median: rounded(median(x)), Min: slices.Min(x), Max: slices.Max(x)}
}
