package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
)

// toolHits is what one tool has found.
type toolHits struct {
	tool string
	hits []hit
}

// sideBySide writes how much each tool finds, where ctxprop agrees, and what
// ctxprop's findings are, in Markdown that reads well as text too.
func sideBySide(w io.Writer, all []toolHits) error {
	var ours []hit
	for _, t := range all {
		if t.tool == self {
			ours = outsideTests(t.hits)
		}
	}
	table := tabwriter.NewWriter(w, 0, 0, 1, ' ', 0)
	fmt.Fprint(table, "| tool\t| findings in tests\t| outside of tests\t| in so many functions\t| of which ctxprop reports\t|\n")
	fmt.Fprint(table, "|---\t|---\t|---\t|---\t|---\t|\n")
	for _, t := range all {
		outside := outsideTests(t.hits)
		places := byPlace(outside)
		fmt.Fprintf(table, "| %s\t| %d\t| %d\t| %d\t", t.tool, len(t.hits)-len(outside), len(outside), len(places))
		if t.tool == self {
			fmt.Fprint(table, "|\t|\n")
			continue
		}
		shared := 0
		for place := range byPlace(ours) {
			if len(places[place]) > 0 {
				shared++
			}
		}
		fmt.Fprintf(table, "| %d\t|\n", shared)
	}
	fmt.Fprintln(table)
	if err := table.Flush(); err != nil {
		return err
	}
	return byGrade(w, ours)
}

// byGrade writes how many findings of each code serve a request (R), and how
// many whoever passes a context (C).
func byGrade(w io.Writer, ours []hit) error {
	count := map[string]map[string]int{}
	for _, h := range ours {
		if count[h.code] == nil {
			count[h.code] = map[string]int{}
		}
		count[h.code][h.grade]++
	}
	table := tabwriter.NewWriter(w, 0, 0, 1, ' ', 0)
	fmt.Fprint(table, "| ctxprop\t| R\t| C\t|\n|---\t|---\t|---\t|\n")
	for _, code := range slices.Sorted(maps.Keys(count)) {
		fmt.Fprintf(table, "| %s\t| %d\t| %d\t|\n", code, count[code]["R"], count[code]["C"])
	}
	fmt.Fprintln(table)
	return table.Flush()
}

// listPlaces writes one line for each function outside of tests in which a
// tool has found something: how often, and ctxprop's codes with their grades.
func listPlaces(w io.Writer, all []toolHits) error {
	var header []string
	places := map[string]bool{}
	perTool := make([]map[string][]hit, len(all))
	for i, t := range all {
		header = append(header, t.tool)
		perTool[i] = byPlace(outsideTests(t.hits))
		for place := range perTool[i] {
			places[place] = true
		}
	}
	if _, err := fmt.Fprintf(w, "function\t%s\n", strings.Join(header, "\t")); err != nil {
		return err
	}
	for _, place := range slices.Sorted(maps.Keys(places)) {
		row := []string{place}
		for i, t := range all {
			row = append(row, cell(t.tool, perTool[i][place]))
		}
		if _, err := fmt.Fprintln(w, strings.Join(row, "\t")); err != nil {
			return err
		}
	}
	return nil
}

func cell(tool string, hits []hit) string {
	if len(hits) == 0 {
		return ""
	}
	if tool != self {
		return fmt.Sprint(len(hits))
	}
	var codes []string
	for _, h := range hits {
		codes = append(codes, h.code+" "+h.grade)
	}
	slices.Sort(codes)
	return strings.Join(codes, ", ")
}

func outsideTests(hits []hit) []hit {
	return slices.DeleteFunc(slices.Clone(hits), hit.inTest)
}

func byPlace(hits []hit) map[string][]hit {
	places := map[string][]hit{}
	for _, h := range hits {
		places[h.where()] = append(places[h.where()], h)
	}
	return places
}
