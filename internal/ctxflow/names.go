package ctxflow

import (
	"go/types"
	"strings"
	"unicode"

	"github.com/ctxprop/ctxprop/internal/provenance"
)

// twinSuffixes end the names of functions that take a context beside others
// that do not.
var twinSuffixes = []string{"Context", "WithContext", "Ctx"}

// hasTwin reports whether a sibling of fn, a method of the same type or a
// function of the same package, takes a context: Get beside GetContext.
func hasTwin(fn *types.Func) bool {
	for _, suffix := range twinSuffixes {
		if twin := sibling(fn, fn.Name()+suffix); twin != nil && takesContext(twin.Signature()) {
			return true
		}
	}
	return false
}

func sibling(fn *types.Func, name string) *types.Func {
	if recv := fn.Signature().Recv(); recv != nil {
		obj, _, _ := types.LookupFieldOrMethod(recv.Type(), true, fn.Pkg(), name)
		m, _ := obj.(*types.Func)
		return m
	}
	m, _ := fn.Pkg().Scope().Lookup(name).(*types.Func)
	return m
}

func takesContext(sig *types.Signature) bool {
	for i := range sig.Params().Len() {
		if provenance.IsContext(sig.Params().At(i).Type()) {
			return true
		}
	}
	return false
}

// writes reports whether a function changes state, by the verb its name
// begins with: used only to withhold fixes, never to report.
func writes(name string) bool {
	name = name[strings.LastIndexByte(name, '.')+1:]
	for _, verb := range []string{
		"Add", "Append", "Apply", "Clear", "Commit", "Copy", "Create", "Delete", "Drop", "Enqueue", "Exec", "Flush", "Insert",
		"Mark", "Merge", "Move", "Patch", "Post", "Prune", "Publish", "Purge", "Push", "Put", "Record", "Register", "Remove", "Rename",
		"Replace", "Reset", "Revoke", "Save", "Send", "Set", "Store", "Submit", "Transfer", "Update", "Upload", "Upsert", "Write",
	} {
		if hasVerb(name, verb) {
			return true
		}
	}
	return false
}

// hasVerb reports whether a name in mixed caps begins with the verb.
func hasVerb(name, verb string) bool {
	return len(name) >= len(verb) && strings.EqualFold(name[:len(verb)], verb) &&
		(len(name) == len(verb) || !unicode.IsLower(rune(name[len(verb)])))
}
