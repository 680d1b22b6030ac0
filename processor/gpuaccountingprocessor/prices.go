// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpuaccountingprocessor

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.uber.org/zap"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpupdata"
	"github.com/otelcol-gpu/otelcol-gpu/internal/ledger"
	"github.com/otelcol-gpu/otelcol-gpu/internal/price"
)

// prices says what the time of accounts costs. The file is looked at in line,
// with a batch, and at most once in every.
type prices struct {
	file  string        // "": the price is that of the configuration, or none
	every time.Duration // least time between two looks at the file

	costs *price.Costs // nil: there are no prices; guarded by accounting.mu

	// What follows is guarded by accounting.writing.

	book   *price.Book // nil: the file couldn't be read yet
	looked time.Time
	text   []byte // that was read last
	broken error  // why that, or the newest attempt, gave no book; nil if it did
}

func newPrices(cfg *Config) prices {
	if c := cfg.Prices.Get(); c != nil {
		return prices{file: c.File, every: c.ReloadInterval, costs: price.NewCosts()}
	}
	if p := cfg.price(); p != nil {
		return prices{book: price.Fixed(p.PerHour, p.Currency), costs: price.NewCosts()}
	}
	return prices{}
}

// reload looks at the price file, if it is time to. A file that can't be used
// changes nothing: the prices that were read before stay in force.
func (a *accounting) reload() {
	p := &a.prices
	now := a.now()
	if p.file == "" || !p.looked.IsZero() && now.Sub(p.looked) < p.every {
		return
	}
	p.looked = now
	text, err := readPrices(p.file)
	if err == nil && p.text != nil && bytes.Equal(text, p.text) {
		return // as it was, good or bad
	}
	var book *price.Book
	if p.text = text; err == nil {
		if book, err = price.Parse(text); err != nil {
			err = fmt.Errorf("prices: %s: %w", p.file, err)
		}
	}
	if a.own.loaded(err); err != nil {
		a.pricesBroken(err)
		return
	}
	p.book = book
	a.own.set.Logger.Info("prices are in force for the time settled from now on", zap.String("file", p.file),
		zap.String("version", book.Version()), zap.Int("entries", book.Len()))
	if p.broken != nil {
		p.broken = nil
		a.pricesWell()
	}
}

// readPrices returns the content of the file, nil if that can't be read. Batches
// wait for it: what isn't a file, as a pipe, may never say anything.
func readPrices(name string) ([]byte, error) {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("prices: %s is no file (%s): set prices::file to one", name, info.Mode().Type())
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("prices: the file can't be opened, mount it or set prices::file to another: %w", err)
	}
	defer f.Close() //nolint:errcheck // it was only read
	text, err := io.ReadAll(io.LimitReader(f, price.MaxFileSize+1))
	if err != nil {
		return nil, fmt.Errorf("prices: %s can't be read: %w", name, err)
	}
	return text, nil
}

// pricesBroken tells once what is wrong with the file.
func (a *accounting) pricesBroken(err error) {
	p := &a.prices
	if p.broken != nil && p.broken.Error() == err.Error() {
		return
	}
	p.broken = err
	inForce := "none: there is no cost"
	if p.book != nil {
		inForce = p.book.Version() + ", as before"
	}
	a.own.set.Logger.Warn("the price file can't be used", zap.Error(err), zap.String("prices in force", inForce))
	p.report(a.keeper.host)
}

// report makes the status that of a file that is broken, if it is.
func (p *prices) report(host component.Host) {
	if p.broken != nil {
		componentstatus.ReportStatus(host, componentstatus.NewRecoverableErrorEvent(
			fmt.Errorf("gpu_accounting: the price file can't be used: %w", p.broken)))
	}
}

func (a *accounting) pricesWell() {
	if !a.keeper.warned {
		componentstatus.ReportStatus(a.keeper.host, componentstatus.NewEvent(componentstatus.StatusOK))
	}
}

// hosts returns what md says of nodes, if prices may depend on it.
func (p *prices) hosts(md pmetric.Metrics) []gpu.Node {
	if p.file == "" {
		return nil
	}
	return gpupdata.DecodeHosts(md)
}

// due returns what is due to be published, with its cost. The caller holds
// writing and mu.
func (a *accounting) due() gpu.Derived {
	derived, _ := a.ledger.Due()
	if p := &a.prices; p.costs != nil {
		a.own.unpriced(p.costs.Charge(p.book, &derived))
	}
	return derived
}

// learn takes in what is said of nodes.
func (p *prices) learn(nodes []gpu.Node) {
	if p.costs != nil {
		p.costs.Learn(nodes)
	}
}

// confirm tells that a send was accepted, and forgets the costs of accounts that
// the ledger has forgotten.
func (p *prices) confirm(sent gpu.Derived, l *ledger.Ledger) {
	if p.costs == nil {
		return
	}
	p.costs.Confirm(sent)
	if p.costs.Len() > l.Counts().Accounts {
		p.costs.Keep(l.Snapshot())
	}
}

// beginAnew forgets the costs of all accounts: new streams begin.
func (p *prices) beginAnew() {
	if p.costs != nil {
		p.costs.Keep(gpu.Derived{})
	}
}
