// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package allocation

// Missed says that the source has no such pod any more, and was away when it
// went. Nobody knows when that was: the ledger ends it at its last set.
func (b *Book) Missed(uid string) {
	l := b.lives[uid]
	if l == nil {
		return
	}
	l.present = false
	if l.live() {
		delete(b.lives, uid)
	}
}
