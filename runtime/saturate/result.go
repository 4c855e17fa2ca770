package saturate

import "math"

// formatVersion of the attributes; it changes when a field changes its meaning.
const formatVersion = 1

// A Description is what a run was about.
type Description struct {
	Version int    `json:"version"`
	Name    string `json:"name"`
	// Clock is virtual or real; ClockReason says why Auto switched.
	Clock       string `json:"clock"`
	ClockReason string `json:"clockReason,omitempty"`
	// Methods served in the run, and the methods of Go that served them as far as
	// they are known, named as go/types does: (*example.com/orders.Server).Get.
	Methods  []string `json:"methods"`
	Handlers []string `json:"handlers"`
	// Dialers are the functions in which the services dial what they call, with
	// Deps.Next, and with Deps.Conn if it has options: named likewise.
	Dialers []string `json:"dialers,omitempty"`

	DeadlineMs  float64 `json:"deadline_ms"`
	Attempts    int     `json:"attempts"`
	Workers     int     `json:"workers"` // of the subject
	Queue       int     `json:"queue"`
	Concurrency int     `json:"concurrency"`
	ServiceMs   float64 `json:"service_ms"`
	Capacity    float64 `json:"capacity"` // calls per second
	Rate        float64 `json:"rate"`     // calls per second
	Load        float64 `json:"load"`     // Rate / Capacity
	// Residence of a call in the full subject, as a multiple of the deadline.
	Residence       float64     `json:"residence"`
	CannotReproduce string      `json:"cannot_reproduce,omitempty"`
	Trigger         TriggerSpan `json:"trigger"`
	TotalMs         float64     `json:"total_ms"`
	Endpoint        Endpoint    `json:"endpoint"`
	Expect          *Expect     `json:"expect,omitempty"`
}

// A TriggerSpan is a trigger with its place in the run.
type TriggerSpan struct {
	Kind   string  `json:"kind"` // spike, brownout or blackout
	Factor float64 `json:"factor"`
	FromMs float64 `json:"from_ms"`
	ToMs   float64 `json:"to_ms"`
}

// A Trial is what one seed gave. Shares are between 0 and 1.
type Trial struct {
	Seed uint64 `json:"seed"`
	// Calls offered; OK of them were answered in time, Fallbacks from a fallback,
	// the rest failed.
	Calls     int `json:"calls"`
	OK        int `json:"ok"`
	Fallbacks int `json:"fallbacks"`
	// Attempts on the caller's connection, those of interceptors included and
	// those of a service config not; Downstream requests at the dependency or, if
	// there were none, handler calls at the last service; Shed calls at the
	// services' queues.
	Attempts   int `json:"attempts"`
	Downstream int `json:"downstream"`
	Shed       int `json:"shed"`

	// Goodput, the share of calls answered in time: before, during and after the
	// trigger, by the time at which the call was offered.
	Base   float64 `json:"base"`
	During float64 `json:"during"`
	Post   float64 `json:"post"`
	// Recovery is the number of seconds after the trigger from which every window
	// of one second had a goodput of 95 %; -1 if there was none.
	Recovery float64 `json:"recovery_s"`

	// Of the subject: worker seconds in all and those spent after the caller had
	// gone, by the caller's clock; the share of the time after the trigger in
	// which all workers were busy; the most that were ever busy.
	Worker  float64 `json:"worker_s"`
	Zombie  float64 `json:"zombie_s"`
	Ceiling float64 `json:"ceiling"`
	Peak    int     `json:"peak"`

	// Of the dependency: slot seconds in all, those spent after the caller had
	// gone as far as the request still carried its caller, the share that went
	// into no good answer, and the share of requests whose deadline is missing or
	// later than the caller's.
	Busy      float64 `json:"dep_busy_s"`
	DepZombie float64 `json:"dep_zombie_s"`
	Waste     float64 `json:"waste"`
	Detached  float64 `json:"detached"`

	// Amplification is Downstream per call; AmplificationTrigger counts only what
	// arrived during the trigger.
	Amplification        float64 `json:"amplification"`
	AmplificationTrigger float64 `json:"amplification_trigger"`

	P50    float64 `json:"p50_ms"` // of calls answered in time, from the time they were due
	P99    float64 `json:"p99_ms"`
	LagMs  float64 `json:"lag_ms"`  // by which the load came late; 0 on the virtual clock
	WallMs float64 `json:"wall_ms"` // that the trial took

	// Services in the order of the scenario: the first, then the hops.
	Services []ServiceTrial `json:"services"`

	Leaked  string `json:"leaked,omitempty"`  // goroutines that outlived the service
	Invalid string `json:"invalid,omitempty"` // why this trial does not count

	Series Series `json:"-"`
}

// A ServiceTrial is one service's part in a trial.
type ServiceTrial struct {
	Name    string  `json:"name"`
	Handled int     `json:"handled"` // handler calls
	Shed    int     `json:"shed"`
	Peak    int     `json:"peak"` // most workers busy at a time
	Zombie  float64 `json:"zombie_s"`
}

// A Series is a trial over time, in bins of BinMs milliseconds: calls offered
// and answered in time by the time they were offered, requests at the
// dependency, and ten times the mean number of the subject's workers that were
// busy, in all and for callers that had gone.
type Series struct {
	Seed       uint64 `json:"seed"`
	BinMs      int    `json:"bin_ms"`
	Offered    []int  `json:"offered"`
	Good       []int  `json:"good"`
	Downstream []int  `json:"downstream"`
	Workers    []int  `json:"workers"`
	Zombie     []int  `json:"zombie"`
}

// Recovered reports whether the service came back after the trigger.
func (tr *Trial) Recovered() bool { return tr.Recovery >= 0 }

// endpoint is the figure of the trial that e decides by.
func (tr *Trial) endpoint(e Endpoint) float64 {
	if e == Amplification {
		return tr.Amplification
	}
	return tr.Post
}

// rounded keeps the attributes short: six digits after the point.
func rounded(x float64) float64 { return math.Round(x*1e6) / 1e6 }
