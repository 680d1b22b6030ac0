// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// The attributes of a resource that tell apart the series of one metric of one
// pod: several endpoints, containers, processes or devices.
var seriesAttributes = [...]string{
	AttrHWID, AttrContainerName, AttrProcessPID,
	AttrServerPort, AttrServiceID, AttrServiceName, AttrServiceNS,
}

// podAttribute says whether a key names the pod or its group, not a series.
func podAttribute(key string) bool {
	switch key {
	case AttrNamespaceName, AttrPodName, AttrPodUID, AttrPodIP, AttrWorkloadGroup:
		return true
	}
	return false
}

type label struct{ key, value string }

func compareLabels(a, b label) int {
	return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.value, b.value))
}

// series returns the canonical name of the series that the point belongs to,
// whatever its attributes but say.
func (p point) series(but []string) string {
	labels := make([]label, 0, p.own.Len()+len(seriesAttributes))
	for key, value := range p.own.All() {
		if v := value.AsString(); v != "" && !podAttribute(key) && !slices.Contains(but, key) {
			labels = append(labels, label{key, v})
		}
	}
	for _, key := range seriesAttributes {
		if _, ok := p.own.Get(key); ok {
			continue
		}
		if value, ok := p.outer.Get(key); ok && value.AsString() != "" {
			labels = append(labels, label{key, value.AsString()})
		}
	}
	return formatSeries(labels)
}

// formatSeries sorts the labels and writes them as `k="v",k="v"`.
func formatSeries(labels []label) string {
	slices.SortFunc(labels, compareLabels)
	var out []byte
	for i, l := range labels {
		if i > 0 {
			out = append(out, ',')
		}
		if plain(l.key) {
			out = append(out, l.key...)
		} else {
			out = strconv.AppendQuote(out, l.key)
		}
		out = append(out, '=')
		out = strconv.AppendQuote(out, l.value)
	}
	return string(out)
}

// plain says whether a key can stand without quotes.
func plain(key string) bool {
	return key != "" && !strings.ContainsFunc(key, func(r rune) bool {
		return r <= ' ' || r == '"' || r == ',' || r == '=' || r > '~'
	})
}

// putSeries is the inverse of series. A name that series wouldn't give travels
// as one attribute.
func putSeries(name string, dest pcommon.Map) {
	labels, ok := parseSeries(name)
	if !ok {
		labels = []label{{"series", name}}
	}
	for _, l := range labels {
		dest.PutStr(l.key, l.value)
	}
}

func parseSeries(name string) ([]label, bool) {
	var labels []label
	for rest := name; rest != ""; {
		var l label
		var ok bool
		if l, rest, ok = parseLabel(rest); !ok {
			return nil, false
		}
		labels = append(labels, l)
		if rest != "" {
			if rest, ok = strings.CutPrefix(rest, ","); !ok || rest == "" {
				return nil, false
			}
		}
	}
	return labels, true
}

func parseLabel(s string) (l label, rest string, ok bool) {
	if strings.HasPrefix(s, `"`) {
		if l.key, s, ok = unquotePrefix(s); !ok {
			return l, "", false
		}
		s, ok = strings.CutPrefix(s, "=")
	} else {
		l.key, s, ok = strings.Cut(s, "=")
	}
	if !ok {
		return l, "", false
	}
	l.value, rest, ok = unquotePrefix(s)
	return l, rest, ok
}

func unquotePrefix(s string) (value, rest string, ok bool) {
	quoted, err := strconv.QuotedPrefix(s)
	if err != nil {
		return "", "", false
	}
	value, err = strconv.Unquote(quoted)
	return value, s[len(quoted):], err == nil
}
