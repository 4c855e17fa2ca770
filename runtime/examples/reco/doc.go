// Package reco is an incident, to be repeated at will: reco-svc (package
// recommend) calls feature-svc (package feature), a campaign multiplies the
// traffic, and long after the campaign feature-svc still works on nothing but
// calls whose callers have gone. The tests of this package bring it about; the
// README tells what each mend alone is worth.
package reco
