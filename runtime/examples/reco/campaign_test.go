//go:build ctxprop

package reco_test

import (
	"testing"

	"github.com/ctxprop/ctxprop/runtime/saturate"
)

// These tests fail as long as the faults are in the code, so that only ctxprop
// prove runs them.

// TestCampaign is the incident: nothing but the campaign has changed, and it has
// been over for a long time.
func TestCampaign(t *testing.T) { saturate.Test(t, incident(42, asItWas)) }

// TestCampaignOnABusyDay has a base load at which calls that are given up half
// way, in the merge, keep the workers busy: the checks leave those alone.
func TestCampaignOnABusyDay(t *testing.T) {
	sc := incident(60, asItWas)
	sc.Expect = saturate.Expect{
		Verdict: saturate.NotSufficient,
		Reason:  "three attempts of 60 calls/s are more than the 149 calls/s that feature-svc serves, and a call that waited 200 ms is alive at the check and dead at the end of the merge; it takes admission or fewer retries as well",
	}
	saturate.Test(t, sc)
}
