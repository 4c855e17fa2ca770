package saturate

import "testing"

// RunDescribed runs a scenario for what its description says.
func RunDescribed(t *testing.T, sc Scenario) Description { return run(t, sc).description }
