// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package recording

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParseSeconds(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"0":                      0,
		"57":                     57 * time.Second,
		"57.":                    57 * time.Second,
		"0.5":                    500 * time.Millisecond,
		"1662858720.0":           1662858720 * time.Second,
		"1662858720.123456789":   1662858720*time.Second + 123456789,
		"1662858720.12345678999": 1662858720*time.Second + 123456789,
	} {
		got, err := ParseSeconds(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, got, text)
	}
	for _, text := range []string{"", ".", ".5", "-1", "+1", "1e9", "NaN", "Inf", "1 ", "1.2.3", "0x10", "9223372037", "1٠"} {
		_, err := ParseSeconds(text)
		assert.ErrorIs(t, err, errSeconds, text)
	}
}

func TestContainer(t *testing.T) {
	c, err := parseContainer("00112233445566778899aabbccddeeff")
	require.NoError(t, err)
	assert.Equal(t, "00112233445566778899aabbccddeeff", c.String())
	assert.Equal(t, "00112233-4455-6677-8899-aabbccddeeff", c.UUID())
	assert.EqualValues(t, "GPU-00112233-4455-6677-8899-aabbccddeeff", c.Device())
	for _, text := range []string{"", "0011", "00112233445566778899aabbccddeefg", "00112233445566778899aabbccddeeff00"} {
		_, err := parseContainer(text)
		assert.Error(t, err, text)
	}
}

func TestPodNames(t *testing.T) {
	a := Container{0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66}
	b := Container{0xff}
	assert.Equal(t, map[Container]string{
		a: "container-001122334455",
		b: "container-ff0000000000",
	}, podNames([]Container{a, b, a}))

	// Two that share the first 13 digits: all get one more than that.
	c := Container{0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x67}
	assert.Equal(t, map[Container]string{
		a: "container-00112233445566",
		b: "container-ff000000000000",
		c: "container-00112233445567",
	}, podNames([]Container{a, b, c}))
}
