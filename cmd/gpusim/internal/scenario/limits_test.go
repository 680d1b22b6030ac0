// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestWatch: what is watched in another way is held to the same limits.
func TestWatch(t *testing.T) {
	s, err := Parse("f", []byte(strings.Replace(base, "duration: 1h", "duration: 1h\ncollection: {interval: 30s, sample: 20s}", 1)))
	require.NoError(t, err)
	watched, err := s.Watch(time.Minute, "gauges")
	require.NoError(t, err)
	assert.Equal(t, Collection{Interval: time.Minute, Sample: 20 * time.Second, Scrape: 10 * time.Second, Kind: "gauges"}, watched.Collection)
	assert.Equal(t, 30*time.Second, s.Collection.Interval)
	watched, err = s.Watch(0, "")
	require.NoError(t, err)
	assert.Equal(t, s.Collection, watched.Collection)

	for interval, want := range map[time.Duration]string{
		time.Nanosecond:        "the interval is 1ns: want a time of 1s to 10m",
		500 * time.Millisecond: "the interval is 500ms: want a time of 1s to 10m",
		time.Hour:              "the interval is 1h0m0s: want a time of 1s to 10m",
		10 * time.Second:       "collection.sample is 20s: want at most the interval, 10s",
	} {
		_, err = s.Watch(interval, "")
		require.EqualError(t, err, want)
	}
}

func TestCanStart(t *testing.T) {
	for text, want := range map[string]bool{
		"2019-12-31T23:59:59Z": false, "2020-01-01T00:00:00Z": true, "2020-01-01T00:00:00+01:00": false,
		"2199-12-31T23:59:59Z": true, "2200-01-01T00:00:00Z": false, "2300-01-01T00:00:00Z": false,
	} {
		start, err := time.Parse(time.RFC3339, text)
		require.NoError(t, err)
		assert.Equal(t, want, CanStart(start), text)
	}
}
