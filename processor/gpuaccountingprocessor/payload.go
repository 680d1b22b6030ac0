// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpuaccountingprocessor

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/otelcol-gpu/otelcol-gpu/internal/ledger"
	"github.com/otelcol-gpu/otelcol-gpu/internal/price"
)

// withCosts begins a snapshot that has costs beside the ledger. A ledger alone
// begins with its version, a small number.
const withCosts = "\xffgpu_accounting\x00"

// payload returns what is stored of the ledger and of the costs: the ledger
// alone if nothing of the costs has to be kept.
func (p *prices) payload(l *ledger.Ledger) []byte {
	saved := l.Save()
	if p.file == "" {
		return saved
	}
	b := binary.AppendUvarint([]byte(withCosts), uint64(len(saved)))
	return append(append(b, saved...), p.costs.Save()...)
}

var errPayload = errors.New("the snapshot is torn")

// split is the inverse of payload; costs are nil if there are none.
func split(payload []byte) (ofLedger []byte, costs *price.Costs, err error) {
	rest, has := cut(payload, withCosts)
	if !has {
		return payload, nil, nil
	}
	n, size := binary.Uvarint(rest)
	if size <= 0 || n > uint64(len(rest)-size) {
		return nil, nil, fmt.Errorf("%w (%d bytes)", errPayload, len(payload))
	}
	rest = rest[size:]
	costs, err = price.RestoreCosts(rest[n:])
	return rest[:n], costs, err
}

func cut(b []byte, prefix string) ([]byte, bool) {
	if len(b) < len(prefix) || string(b[:len(prefix)]) != prefix {
		return b, false
	}
	return b[len(prefix):], true
}
