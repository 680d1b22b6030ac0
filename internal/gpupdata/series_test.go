// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"pgregory.net/rapid"
)

func seriesOf(t require.TestingT, res, own attrs) string {
	p := point{attributes: attributes{own: pcommon.NewMap(), outer: pcommon.NewMap()}}
	require.NoError(t, p.own.FromRaw(own))
	require.NoError(t, p.outer.FromRaw(res))
	return p.series(nil)
}

func TestSeries(t *testing.T) {
	res := attrs{
		"service.name": "vllm", "service.instance.id": "10.0.0.1:8000", "k8s.container.name": "main",
		"k8s.pod.labels.rollout": "7", "process.pid": 12,
	}
	require.Equal(t,
		`engine="0",k8s.container.name="main",process.pid="12",`+
			`service.instance.id="10.0.0.1:8000",service.name="vllm"`,
		seriesOf(t, res, attrs{"engine": 0, "k8s.pod.uid": "u", "k8s.pod.name": "p", "none": ""}))
	require.Equal(t, `hw.id="GPU-1"`, seriesOf(t, attrs{"hw.id": "GPU-0"}, attrs{"hw.id": "GPU-1"}))
	require.Equal(t, `hw.id="GPU-0"`, seriesOf(t, attrs{"hw.id": "GPU-0"}, attrs{}))
	require.Equal(t, `"a b"="\"",ok="x,y=z"`, seriesOf(t, nil, attrs{"a b": `"`, "ok": "x,y=z"}))
	require.Empty(t, seriesOf(t, nil, nil))
}

func TestSeriesDoesNotDependOnOrder(t *testing.T) {
	for _, keys := range [][]string{{"a", "b", "c"}, {"c", "b", "a"}, {"b", "c", "a"}} {
		p := point{attributes: attributes{own: pcommon.NewMap(), outer: nothing}}
		for _, key := range keys {
			p.own.PutStr(key, key)
		}
		require.Equal(t, `a="a",b="b",c="c"`, p.series(nil))
	}
}

func TestSeriesRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		own := attrs{}
		for k, v := range rapid.MapOfN(rapid.String(), rapid.StringN(1, -1, -1), 0, 5).Draw(t, "own") {
			own[k] = v
		}
		name := seriesOf(t, nil, own)
		m := pcommon.NewMap()
		putSeries(name, m)
		for k := range own {
			if podAttribute(k) {
				delete(own, k)
			}
		}
		require.Equal(t, own, m.AsRaw())
	})
}

func TestSeriesOfAnotherFormBecomesAnAttribute(t *testing.T) {
	for _, name := range []string{
		"7", "a=", `a="1"b="2"`, `a="1",`, `a=1`, `"a`, `"a"`, `"a":"b"`, `a="\q"`,
	} {
		m := pcommon.NewMap()
		putSeries(name, m)
		require.Equal(t, attrs{"series": name}, m.AsRaw())
	}
}
