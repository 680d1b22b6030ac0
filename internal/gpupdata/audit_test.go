// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/otelcol-gpu/otelcol-gpu/internal/audit"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// settled is a device whose time a simple ledger books exactly.
type settled struct {
	span     gpu.DeviceSpan
	accounts []gpu.Account
	lives    int
}

// advance books all of d on the accounts, some of which are new.
func (s *settled) advance(t *rapid.T, d time.Duration) {
	before := s.span.Time
	s.span.Time, s.span.Span = before.Add(d), s.span.Span+d
	for range rapid.IntRange(0, 2).Draw(t, "new accounts") {
		s.lives++
		s.accounts = append(s.accounts, gpu.Account{
			Device: s.span.Device, Kind: gpu.HolderAccount, Holder: gpu.Holder{PodUID: strconv.Itoa(s.lives)},
			Attribution: rapid.SampledFrom(attributions).Draw(t, "attribution"), Start: before, New: true,
		})
	}
	for i := range s.accounts {
		part := d
		if i < len(s.accounts)-1 {
			part = time.Duration(rapid.Int64Range(0, int64(d)).Draw(t, "part"))
		}
		d -= part
		s.accounts[i].Time = s.span.Time
		book(t, &s.accounts[i], part, before)
	}
}

// book adds a part to one condition of an account.
func book(t *rapid.T, a *gpu.Account, part time.Duration, since gpu.Time) {
	c := drawCondition(t)
	for i := range a.States {
		if a.States[i].Condition == c {
			a.States[i].Nanos += part
			return
		}
	}
	a.States = append(a.States, gpu.StateTime{Condition: c, Nanos: part, Start: since, New: true})
}

// published returns what is due, and takes it as published if it was accepted.
func published(devices []*settled) (gpu.Derived, []gpu.DeviceSpan) {
	var d gpu.Derived
	var spans []gpu.DeviceSpan
	for _, s := range devices {
		d.Accounts = append(d.Accounts, s.accounts...)
		spans = append(spans, s.span)
	}
	return d, spans
}

// confirm lets some accounts end: they had been published to their end.
func (s *settled) confirm(t *rapid.T) {
	for i := range s.accounts {
		s.accounts[i].New = false
		for j := range s.accounts[i].States {
			s.accounts[i].States[j].New = false
		}
	}
	if n := len(s.accounts); n > 1 && rapid.Bool().Draw(t, "ends") {
		i := rapid.IntRange(0, n-2).Draw(t, "which")
		s.accounts = append(s.accounts[:i:i], s.accounts[i+1:]...)
	}
}

// TestAuditOfTrueSends: whatever true sends say, through the codec, is no
// error, also at times that a double doesn't tell to the nanosecond; and one
// more nanosecond is, where it does.
func TestAuditOfTrueSends(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.SampledFrom([]int64{1e10, 1e17}).Draw(t, "most") // 10 s, 10⁸ s
		var devices []*settled
		for i := range rapid.IntRange(1, 3).Draw(t, "devices") {
			d := gpu.Device{ID: gpu.DeviceID(fmt.Sprint("GPU-", i)), Node: "n", Cluster: "c"}
			devices = append(devices, &settled{
				span:     gpu.DeviceSpan{Device: d, Time: at(0)},
				accounts: []gpu.Account{{Device: d, Start: at(0), New: true}},
			})
		}
		a := audit.New()
		for range rapid.IntRange(1, 6).Draw(t, "sends") {
			for _, s := range devices {
				s.advance(t, time.Duration(rapid.Int64Range(1, most).Draw(t, "passes")))
			}
			truth, spans := published(devices)
			sent, drops := DecodeTime(overWire(t, encodeDerived(truth, nil)))
			require.Nil(t, drops)
			require.Equal(t, map[audit.Node]time.Duration{{Name: "n", Cluster: "c"}: 0}, a.Check(sent, spans))
			if most < 1e12 {
				wrongByOne(t, a, sent, spans)
			}
			if a.Check(sent, spans); rapid.Bool().Draw(t, "accepted") {
				a.Accept()
				for _, s := range devices {
					s.confirm(t)
				}
			}
		}
	})
}

// wrongByOne checks that one nanosecond too many of one series is found.
func wrongByOne(t *rapid.T, a *audit.Audit, sent gpu.Derived, spans []gpu.DeviceSpan) {
	states := sent.Accounts[rapid.IntRange(0, len(sent.Accounts)-1).Draw(t, "account")].States
	st := &states[rapid.IntRange(0, len(states)-1).Draw(t, "state")]
	st.Nanos++
	require.Equal(t, map[audit.Node]time.Duration{{Name: "n", Cluster: "c"}: 1}, a.Check(sent, spans))
	st.Nanos--
}
