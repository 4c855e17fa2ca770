package prove

import (
	"encoding/json"
	"fmt"
	"strings"
)

// The keys of the attributes that a saturation test sets, with package
// testing's Attr; each value is one JSON object.
const (
	scenarioKey = "ctxprop.scenario"
	trialKey    = "ctxprop.trial"
	seriesKey   = "ctxprop.series"
	verdictKey  = "ctxprop.verdict"
)

// attrVersion is the version of the attributes that this package reads.
const attrVersion = 1

// Scenario is what a saturation test says about itself before its trials.
type Scenario struct {
	Version     int      `json:"version"`
	Name        string   `json:"name"`
	Clock       string   `json:"clock"` // virtual or real
	ClockReason string   `json:"clockReason,omitempty"`
	Methods     []string `json:"methods"`           // full methods that were served, such as /pkg.Service/Method
	Handlers    []string `json:"handlers"`          // their implementations, as types.Func.FullName prints them
	Dialers     []string `json:"dialers,omitempty"` // functions that dial what the services call, likewise
	DeadlineMS  float64  `json:"deadline_ms"`
	Attempts    int      `json:"attempts"` // of the client, at most
	Workers     int      `json:"workers"`
	// Residence is how long a call takes from admission to answer when pool
	// and queue are full, in deadlines: below 1.7 a collapse does not sustain
	// itself.
	Residence float64 `json:"residence"`
	Trigger   Trigger `json:"trigger"`
	TotalMS   float64 `json:"total_ms"`
	// CannotReproduce is why the scenario cannot show a collapse, if so.
	CannotReproduce string  `json:"cannot_reproduce,omitempty"`
	Expect          *Expect `json:"expect,omitempty"`
}

// Trigger is the disturbance of a scenario, in milliseconds of its clock.
type Trigger struct {
	Kind   string  `json:"kind"` // spike, brownout or blackout
	Factor float64 `json:"factor"`
	FromMS float64 `json:"from_ms"`
	ToMS   float64 `json:"to_ms"`
}

// Expect is a verdict other than PROVEN that a scenario declares.
type Expect struct {
	Verdict Verdict `json:"verdict"`
	Reason  string  `json:"reason"`
}

// Judgement is the verdict on a scenario, with its grounds.
type Judgement struct {
	Verdict  Verdict `json:"verdict"`
	Why      string  `json:"why"`      // one sentence
	Endpoint string  `json:"endpoint"` // the figure that decides: goodput or amplification
	Before   Spread  `json:"before"`   // of the endpoint
	After    Spread  `json:"after"`
	P        float64 `json:"p"` // that the difference is chance, one-sided
	Delta    float64 `json:"cliffs_delta"`
	Shift    float64 `json:"hodges_lehmann"`
	Met      bool    `json:"met"` // it is PROVEN, or the one that the scenario declared
}

// Spread is a figure over the seeds.
type Spread struct {
	Median float64 `json:"median"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
}

// Trial is one run of a scenario with one seed. Shares are between 0 and 1;
// goodput is the share of calls that were answered in time.
type Trial struct {
	Seed          uint64  `json:"seed"`
	Calls         int     `json:"calls"`
	OK            int     `json:"ok"`
	Attempts      int     `json:"attempts"`
	Downstream    int     `json:"downstream"` // calls of the dependency
	Shed          int     `json:"shed"`
	Fallbacks     int     `json:"fallbacks"` // answered from a fallback
	Base          float64 `json:"base"`      // goodput before the trigger
	During        float64 `json:"during"`
	Post          float64 `json:"post"`       // goodput after the trigger
	Recovery      float64 `json:"recovery_s"` // seconds after the trigger; -1: never
	Zombie        float64 `json:"zombie_s"`   // worker seconds for callers that had gone
	Worker        float64 `json:"worker_s"`
	Waste         float64 `json:"waste"`    // share of the dependency's work that went into no good answer
	Detached      float64 `json:"detached"` // share of its calls whose deadline is missing or later than the caller's
	Ceiling       float64 `json:"ceiling"`  // share of the time after the trigger with all workers busy
	Amplification float64 `json:"amplification"`
	Leaked        string  `json:"leaked,omitempty"`
	Invalid       string  `json:"invalid,omitempty"` // why the trial does not count
}

// Series is the course of a trial. Bins are BinMS wide; Workers and Zombie are
// means over a bin, times ten.
type Series struct {
	Seed    uint64 `json:"seed"`
	BinMS   int    `json:"bin_ms"`
	Offered []int  `json:"offered"`
	Good    []int  `json:"good"`
	Workers []int  `json:"workers"`
	Zombie  []int  `json:"zombie"`
}

// Key names a scenario in its program.
type Key struct {
	Package string `json:"package"`
	Test    string `json:"test"` // with its subtests, such as TestX/slow
}

func (k Key) String() string {
	return k.Package[strings.LastIndexByte(k.Package, '/')+1:] + "." + k.Test
}

// Measured is a scenario with what it measured.
type Measured struct {
	Key Key
	Scenario
	Trials    []Trial
	Series    []Series
	Judgement *Judgement        // if there was something to compare with
	raw       []json.RawMessage // Trials as they were printed
}

// collector puts the attributes of the tests of a run together.
type collector struct {
	scenarios []*Measured // in the order in which they began
}

func (c *collector) find(k Key) *Measured {
	for _, m := range c.scenarios {
		if m.Key == k {
			return m
		}
	}
	return nil
}

// add takes one attribute; those of others are ignored.
func (c *collector) add(k Key, name, value string) error {
	var err error
	m := c.find(k)
	switch name {
	case scenarioKey:
		if m != nil {
			return fmt.Errorf("%s runs two scenarios; give each a subtest of its own", k)
		}
		m = &Measured{Key: k}
		c.scenarios = append(c.scenarios, m)
		err = json.Unmarshal([]byte(value), &m.Scenario)
		if err == nil && m.Version != attrVersion {
			return fmt.Errorf("%s reports in format %d, and this ctxprop reads format %d: use releases of ctxprop and %s of one version", k, m.Version, attrVersion, RuntimeModule)
		}
	case trialKey, seriesKey, verdictKey:
		if m == nil {
			return fmt.Errorf("%s sets the attribute %s and no %s before it", k, name, scenarioKey)
		}
		switch name {
		case trialKey:
			m.raw = append(m.raw, json.RawMessage(value))
			m.Trials = append(m.Trials, Trial{})
			err = json.Unmarshal([]byte(value), &m.Trials[len(m.Trials)-1])
		case seriesKey:
			m.Series = append(m.Series, Series{})
			err = json.Unmarshal([]byte(value), &m.Series[len(m.Series)-1])
		default:
			m.Judgement = new(Judgement)
			err = json.Unmarshal([]byte(value), m.Judgement)
		}
	}
	if err != nil {
		return fmt.Errorf("%s: cannot read the attribute %s: %v", k, name, err)
	}
	return nil
}
