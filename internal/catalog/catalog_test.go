package catalog

import "testing"

func TestTablesParse(t *testing.T) {
	if _, err := load(); err != nil {
		t.Fatal(err)
	}
}
