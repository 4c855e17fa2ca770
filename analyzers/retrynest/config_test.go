package retrynest_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/ctxprop/ctxprop/internal/fix/fixtest"
)

// TestConfigTexts: service configs are found however they reach a client.
func TestConfigTexts(t *testing.T) {
	fixtest.Run(t, analysistest.TestData(), all(t), "config/text")
}

// TestConfigOptions: the options beside a config, what it names, and where
// nothing is said.
func TestConfigOptions(t *testing.T) {
	fixtest.Run(t, analysistest.TestData(), all(t), "config/policies")
}

// TestConfigNests: the limit of a client bounds what its config adds to a nest,
// in another package too.
func TestConfigNests(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), all(t), "config/nest/...")
}

// TestConfigCalled: a config that names nothing which is called on its
// connection.
func TestConfigCalled(t *testing.T) {
	fixtest.Run(t, analysistest.TestData(), all(t), "config/called")
}
