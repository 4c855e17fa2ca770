package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// predicted matches the factors of a nest in a message of CTX301.
var predicted = regexp.MustCompile(`can be called ([0-9×]+) = ([0-9]+) times`)

// TestAmplification: what ctxprop reads from the source of services is what
// their calls come to. The factors of a chain of services are measured hop by
// hop, those of nests inside one process at the bottom.
func TestAmplification(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs services")
	}
	const dir = "runtime/testdata/amplify/"
	measured := amplification(t, "./"+dir)
	// By folder: the layers that are found, from A downwards; nil if nothing
	// multiplies.
	for folder, want := range map[string][]int{
		"three":       {3, 3, 3},
		"five":        {5, 5, 5},
		"remapped":    nil, // no service's policy lists what the next one reports
		"interceptor": {3, 3},
		"executors":   {3, 4},
		"loop":        {2, 3, 4},
	} {
		layers, product := largestNest(t, "./"+dir+folder)
		if !slices.Equal(layers, want) {
			t.Errorf("%s: found the layers %v, want %v", folder, layers, want)
		}
		runs := measured[folder]
		if len(runs) == 0 {
			t.Errorf("%s: nothing was measured", folder)
		}
		for _, steps := range runs {
			switch bottom := steps[len(steps)-1]; {
			case layers == nil && bottom > 3: // the last service's own attempts
				t.Errorf("%s: nothing was found, and the bottom got %v", folder, steps)
			case layers != nil && bottom != float64(product):
				t.Errorf("%s: %d predicted, and the bottom got %v", folder, product, steps)
			}
			if len(steps) == len(layers)+2 { // A, a service per layer, the bottom
				for hop, n := range layers {
					if steps[hop+1] != steps[hop]*float64(n) {
						t.Errorf("%s: hop %d: %d attempts predicted, and the services handled %v", folder, hop, n, steps)
					}
				}
			}
		}
	}
}

// largestNest returns what ctxprop finds for the first of the services: the
// factors of the nest with the largest product.
func largestNest(t *testing.T, pkg string) (layers []int, product int) {
	t.Helper()
	var found struct {
		Findings []struct{ Code, Message string }
	}
	out := output(t, "ctxprop", "-C", "../..", "-format", "json", pkg)
	if err := json.Unmarshal(out, &found); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, f := range found.Findings {
		m := predicted.FindStringSubmatch(f.Message)
		if f.Code != "CTX301" || m == nil {
			t.Errorf("%s: %s", pkg, f.Message)
			continue
		}
		if n := number(t, m[2]); n > product {
			layers, product = nil, n
			for _, factor := range strings.Split(m[1], "×") {
				layers = append(layers, number(t, factor))
			}
		}
	}
	return layers, product
}

func number(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// amplification runs the services, and returns what each folder's measured with
// each seed.
func amplification(t *testing.T, pkg string) map[string][][]float64 {
	t.Helper()
	measured := map[string][][]float64{}
	out := output(t, "go", "-C", "../..", "test", "-json", pkg)
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		var e struct{ Action, Test, Key, Value, Output string }
		if json.Unmarshal(lines.Bytes(), &e) != nil || e.Action == "fail" {
			t.Fatalf("%s", out)
		}
		if e.Key == "amplify" {
			var steps []float64
			if err := json.Unmarshal([]byte(e.Value), &steps); err != nil {
				t.Fatal(err)
			}
			folder := filepath.Base(e.Test)
			measured[folder] = append(measured[folder], steps)
		}
	}
	return measured
}
