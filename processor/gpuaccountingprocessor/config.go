// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpuaccountingprocessor

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/confmap"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpupdata"
	"github.com/otelcol-gpu/otelcol-gpu/internal/ledger"
	"github.com/otelcol-gpu/otelcol-gpu/internal/profile"
)

// Values of Config.Allocation and Config.Granularity.
const (
	allocationRequired = "required"
	allocationLabels   = "labels"
	allocationNone     = "none"

	granularityPod      = "pod"
	granularityWorkload = "workload"
)

// Config is the configuration of the processor. README.md describes each key.
type Config struct {
	MaxGap            time.Duration  `mapstructure:"max_gap"`
	SettleDelay       time.Duration  `mapstructure:"settle_delay"`
	EvidenceWindow    time.Duration  `mapstructure:"evidence_window"`
	EmitInterval      time.Duration  `mapstructure:"emit_interval"`
	IdleThreshold     float64        `mapstructure:"idle_threshold"`
	IdleGrace         time.Duration  `mapstructure:"idle_grace"`
	ResidentThreshold Bytes          `mapstructure:"resident_threshold"`
	MaxAccounts       int            `mapstructure:"max_accounts"`
	Allocation        string         `mapstructure:"allocation"`
	Granularity       string         `mapstructure:"granularity"`
	ForwardInputs     string         `mapstructure:"forward_inputs"`
	Outputs           []OutputConfig `mapstructure:"outputs"`
	Profiles          []string       `mapstructure:"profiles"`
	// Storage is the extension that keeps the checkpoint, nil if none does.
	Storage *component.ID `mapstructure:"storage"`

	// Price is the one price of every GPU, Prices a file of them: one of the two.
	Price  configoptional.Optional[PriceConfig]  `mapstructure:"price"`
	Prices configoptional.Optional[PricesConfig] `mapstructure:"prices"`

	// prevent unkeyed literal initialization
	_ struct{}
}

// OutputConfig names an application metric that is evidence.
type OutputConfig struct {
	Metric string `mapstructure:"metric"`
	Kind   string `mapstructure:"kind"`
	Unit   string `mapstructure:"unit"`
	// Window is evidence_window if it isn't set.
	Window configoptional.Optional[time.Duration] `mapstructure:"window"`

	_ struct{}
}

// PriceConfig is what one GPU costs.
type PriceConfig struct {
	Amount   float64 `mapstructure:"amount"`
	Currency string  `mapstructure:"currency"`
	Per      string  `mapstructure:"per"`

	_ struct{}
}

// PricesConfig is where the prices of GPUs are.
type PricesConfig struct {
	File           string        `mapstructure:"file"`
	ReloadInterval time.Duration `mapstructure:"reload_interval"`

	_ struct{}
}

var (
	_ component.Config  = (*Config)(nil)
	_ confmap.Validator = (*Config)(nil)
	_ confmap.Validator = (*OutputConfig)(nil)
	_ confmap.Validator = (*PriceConfig)(nil)
	_ confmap.Validator = (*PricesConfig)(nil)
)

// Validate checks the keys of the processor itself; the service validates
// outputs and price.
func (c *Config) Validate() error {
	return errors.Join(
		atLeast("max_gap", c.MaxGap, time.Nanosecond, "more than 0"),
		atLeast("settle_delay", c.SettleDelay, 0, "0 or more"),
		atLeast("evidence_window", c.EvidenceWindow, time.Nanosecond, "more than 0"),
		atLeast("emit_interval", c.EmitInterval, time.Nanosecond, "more than 0"),
		atLeast("idle_grace", c.IdleGrace, 0, "0 or more"),
		accept("idle_threshold", c.IdleThreshold, c.IdleThreshold >= 0 && c.IdleThreshold <= 1, "0 to 1"),
		accept("max_accounts", c.MaxAccounts, c.MaxAccounts > 0 && c.MaxAccounts <= mostAccounts, "1 to 1000000"),
		oneOf("allocation", c.Allocation, allocationRequired, allocationLabels, allocationNone),
		oneOf("granularity", c.Granularity, granularityPod, granularityWorkload),
		oneOf("forward_inputs", c.ForwardInputs, "none", "device", "all"),
		c.validateOutputNames(),
		c.validateOnePrice(),
		c.validateProfiles(),
	)
}

func (c *Config) validateOnePrice() error {
	if c.Price.HasValue() && c.Prices.HasValue() {
		return errors.New("price: it is not accepted beside prices: set one of the two")
	}
	return nil
}

func (c *Config) validateOutputNames() error {
	var errs error
	seen := map[string]bool{}
	for _, o := range c.Outputs {
		errs = errors.Join(errs, accept("outputs::metric", o.Metric, !seen[o.Metric], "each metric once"))
		seen[o.Metric] = true
	}
	return errs
}

func (c *Config) validateProfiles() error {
	var errs error
	for _, name := range c.Profiles {
		errs = errors.Join(errs, oneOf("profiles", name, profile.Names()...))
	}
	return errs
}

// Validate checks one output.
func (c *OutputConfig) Validate() error {
	errs := []error{
		accept("metric", c.Metric, c.Metric != "" && !gpupdata.Owns(c.Metric),
			"the name of an application metric, as vllm:generation_tokens_total"),
		oneOf("kind", c.Kind, "", "output", "demand", "sleep"),
	}
	if window := c.Window.Get(); window != nil {
		errs = append(errs, atLeast("window", *window, time.Nanosecond, "more than 0 (none for evidence_window)"))
		if c.Kind != "" && c.Kind != "output" {
			errs = append(errs, fmt.Errorf("window: %v is not accepted: a metric of kind %s has none", *window, c.Kind))
		}
	}
	return errors.Join(errs...)
}

// A price is one that a nano-unit can tell and that is no slip of the finger.
const (
	minPrice = 1e-9
	maxPrice = 1e6
)

var currencyCode = regexp.MustCompile("^[A-Z]{3}$")

// Validate checks the price.
func (c *PriceConfig) Validate() error {
	return errors.Join(
		accept("amount", c.Amount, c.Amount >= minPrice && c.Amount <= maxPrice, fmt.Sprintf("%g to %g", minPrice, maxPrice)),
		accept("currency", c.Currency, currencyCode.MatchString(c.Currency), "a code of ISO 4217, as EUR"),
		oneOf("per", c.Per, "hour"),
	)
}

// Validate checks where the prices are. What the file says is read at the start,
// and never keeps the collector from starting.
func (c *PricesConfig) Validate() error {
	return errors.Join(
		accept("file", c.File, c.File != "", "the path of a price file"),
		atLeast("reload_interval", c.ReloadInterval, time.Second, "1s or more"),
	)
}

// accept returns an error that names key, value and what is accepted.
func accept(key string, value any, ok bool, accepted string) error {
	if ok {
		return nil
	}
	if text, isText := value.(string); isText {
		value = fmt.Sprintf("%q", text)
	}
	return fmt.Errorf("%s: %v is not accepted: set %s", key, value, accepted)
}

// mostAccounts is more than any node has.
const mostAccounts = 1_000_000

// longest is longer than any setting makes sense, and far from an overflow.
const longest = 365 * 24 * time.Hour

func atLeast(key string, value, least time.Duration, accepted string) error {
	return accept(key, value, value >= least && value <= longest, accepted+", up to 8760h")
}

func oneOf(key, value string, accepted ...string) error {
	shown := slices.DeleteFunc(slices.Clone(accepted), func(s string) bool { return s == "" })
	return accept(key, value, slices.Contains(accepted, value), strings.Join(shown, ", "))
}

// ledger returns the settings of the ledger.
func (c *Config) ledger() ledger.Config {
	return ledger.Config{
		MaxGap:            c.MaxGap,
		SettleDelay:       c.SettleDelay,
		EmitInterval:      c.EmitInterval,
		IdleThreshold:     c.IdleThreshold,
		IdleGrace:         c.IdleGrace,
		ResidentThreshold: uint64(c.ResidentThreshold),
		MaxAccounts:       c.MaxAccounts,
		Workloads:         c.Granularity == granularityWorkload,
		Labels:            c.Allocation == allocationLabels,
		Host:              c.Allocation == allocationNone,
	}
}

// meaning names what the sums mean: those of another meaning can't go on under
// the same starts. With another price, costs would jump; those at the prices of a
// file are kept, and go on whatever becomes of them.
func (c *Config) meaning() string {
	price := "none"
	if p := c.Price.Get(); p != nil {
		price = fmt.Sprintf("%v %s/%s", p.Amount, p.Currency, p.Per)
	}
	return fmt.Sprintf("allocation: %s, granularity: %s, price: %s", c.Allocation, c.Granularity, price)
}

// outputs returns how the application metrics of the user are read.
func (c *Config) outputs() []gpu.OutputProfile {
	profiles := make([]gpu.OutputProfile, 0, len(c.Outputs))
	for _, o := range c.Outputs {
		p := gpu.OutputProfile{Metric: o.Metric, Unit: o.Unit, Window: c.EvidenceWindow}
		p.Kind, _ = gpu.ParseOutputKind(o.Kind) // "" is output
		if window := o.Window.Get(); window != nil {
			p.Window = *window
		}
		profiles = append(profiles, p)
	}
	return profiles
}

// price returns the configured price, or nil.
func (c *Config) price() *gpu.Price {
	p := c.Price.Get()
	if p == nil {
		return nil
	}
	return &gpu.Price{PerHour: gpu.Nanos(math.Round(p.Amount * 1e9)), Currency: p.Currency}
}
