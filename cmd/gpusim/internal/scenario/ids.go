// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
	"strconv"
	"strings"
)

// seed is what everything random about one thing follows from.
type seed [2]uint64

// seedOf returns the seed of the thing that these words name.
func seedOf(scenario int64, words ...string) seed {
	sum := digest(scenario, words)
	return seed{binary.LittleEndian.Uint64(sum[:]), binary.LittleEndian.Uint64(sum[8:])}
}

func (s seed) rand() *rand.Rand { return rand.New(rand.NewPCG(s[0], s[1])) } //nolint:gosec // the same each time, on purpose

func digest(scenario int64, words []string) [sha256.Size]byte {
	return sha256.Sum256([]byte(strconv.FormatInt(scenario, 10) + "\x00" + strings.Join(words, "\x00")))
}

// uuid returns a random UUID (version 4) that is always the same for the same
// words.
func uuid(scenario int64, words ...string) string {
	sum := digest(scenario, words)
	sum[6] = sum[6]&0x0f | 0x40
	sum[8] = sum[8]&0x3f | 0x80
	text := hex.EncodeToString(sum[:16])
	return text[:8] + "-" + text[8:12] + "-" + text[12:16] + "-" + text[16:20] + "-" + text[20:]
}

// podIP returns the address of the nth pod of a world, from 1, in 10.0.0.0/8.
func podIP(n int) string {
	return "10." + strconv.Itoa(n>>16&0xff) + "." + strconv.Itoa(n>>8&0xff) + "." + strconv.Itoa(n&0xff)
}
