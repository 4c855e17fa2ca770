package feature

import (
	"cmp"
	"slices"

	"github.com/ctxprop/ctxprop/runtime/examples/reco/recopb"
)

// Join is the Merger of production: the score of an item is the sum of its
// similarities to all the others, which costs the square of their number.
type Join struct{}

// Merge implements Merger.
func (Join) Merge(items []string, vectors [][]float64) []*recopb.Affinity {
	n := min(len(items), len(vectors))
	affinities := make([]*recopb.Affinity, n)
	for i := range n {
		affinities[i] = &recopb.Affinity{ItemId: items[i]}
		for j := range n {
			if i != j {
				affinities[i].Score += similarity(vectors[i], vectors[j])
			}
		}
	}
	slices.SortStableFunc(affinities, func(a, b *recopb.Affinity) int { return cmp.Compare(b.GetScore(), a.GetScore()) })
	return affinities
}

// similarity is the scalar product.
func similarity(a, b []float64) float64 {
	sum := 0.0
	for i := range min(len(a), len(b)) {
		sum += a[i] * b[i]
	}
	return sum
}
