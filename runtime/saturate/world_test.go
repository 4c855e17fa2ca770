package saturate

import (
	"strings"
	"testing"
)

// Functions are named as go/types does, closures as the functions they are in.
func TestDeclared(t *testing.T) {
	for name, want := range map[string]string{
		"example.com/orders.New":                     "example.com/orders.New",
		"example.com/orders.New.func1":               "example.com/orders.New",
		"example.com/orders.New.func1.2":             "example.com/orders.New",
		"example.com/orders.Shop.Dial":               "(example.com/orders.Shop).Dial",
		"example.com/orders.(*Shop).Dial":            "(*example.com/orders.Shop).Dial",
		"example.com/orders.(*Shop).Dial.func2.1":    "(*example.com/orders.Shop).Dial",
		"example.com/orders.(*Pool[...]).Dial.func1": "(*example.com/orders.Pool).Dial",
		"example.com/orders.dial[...]":               "example.com/orders.dial",
		"gopkg.in/orders%2ev2.New":                   "gopkg.in/orders.v2.New",
		"example.com/orders.New.dial.func1":          "(example.com/orders.New).dial example.com/orders.New example.com/orders.dial",
		"main.main":                                  "main.main",
	} {
		if got := strings.Join(declared(name), " "); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}
