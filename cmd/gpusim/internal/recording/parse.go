// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package recording

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// nanoDigits is how many decimals of a second the ledger can tell apart.
const nanoDigits = 9

var errSeconds = errors.New("want seconds, as 1662858720 or 57.5")

// ParseSeconds reads a decimal number of seconds exactly, to the nanosecond;
// later decimals are cut off. A float64 has too few bits for Unix time.
func ParseSeconds(text string) (time.Duration, error) {
	whole, fraction, _ := strings.Cut(text, ".")
	if whole == "" || strings.Trim(whole+fraction, "0123456789") != "" {
		return 0, errSeconds
	}
	fraction += strings.Repeat("0", nanoDigits)
	nanos, err := strconv.ParseInt(whole+fraction[:nanoDigits], 10, 64)
	if err != nil { // out of range
		return 0, errSeconds
	}
	return time.Duration(nanos), nil
}

// latest is the year 2100. A later time is one in another unit than seconds.
const latest = 4_102_444_800 * gpu.Time(time.Second)

func parseTime(text string) (gpu.Time, error) {
	d, err := ParseSeconds(text)
	if err != nil {
		return 0, err
	}
	if t := gpu.Time(d); t >= gpu.Earliest && t < latest {
		return t, nil
	}
	return 0, errors.New("want Unix seconds of a time from 2000 to 2100")
}

// parseNumber reads a finite number between 0 and limit.
func parseNumber(text string, limit float64) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(v) || v < 0 || v > limit {
		return 0, fmt.Errorf("want a number from 0 to %g", limit)
	}
	return v, nil
}

// Container is the hash that stands for a container in the recording.
type Container [16]byte

func parseContainer(text string) (Container, error) {
	var c Container
	if len(text) != hex.EncodedLen(len(c)) {
		return c, errors.New("want a container hash of 32 hex digits")
	}
	if _, err := hex.Decode(c[:], []byte(text)); err != nil {
		return c, errors.New("want a container hash of 32 hex digits")
	}
	return c, nil
}

// String returns the hash as the recording writes it.
func (c Container) String() string { return hex.EncodeToString(c[:]) }

// UUID returns the hash in the form of a UUID.
func (c Container) UUID() string {
	h := c.String()
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// Device returns the identity of the container's device. The recording names
// no devices; a container has exactly one.
func (c Container) Device() gpu.DeviceID { return gpu.DeviceID("GPU-" + c.UUID()) }
