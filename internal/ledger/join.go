// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// joinKey is one of the ways in which an application metric names its holder.
type joinKey struct {
	by    string // "uid", "name", "ip", "device" or "group"
	space string
	name  string
}

// strongest returns the key by which a metric is joined.
func strongest(j gpu.Join) joinKey {
	switch {
	case j.PodUID != "":
		return joinKey{by: "uid", name: j.PodUID}
	case j.Pod != "":
		return joinKey{by: "name", space: j.Namespace, name: j.Pod}
	case j.PodIP != "":
		return joinKey{by: "ip", name: j.PodIP}
	case j.Device != "":
		return joinKey{by: "device", name: string(j.Device)}
	default:
		return groupKey(j.Group)
	}
}

// groupKey is the key of metrics that name a group.
func groupKey(name string) joinKey { return joinKey{by: "group", name: name} }

// keysOf returns the keys under which metrics of a holder may be found.
func keysOf(h gpu.Holder, device gpu.DeviceID) []joinKey {
	keys := []joinKey{{by: "device", name: string(device)}}
	if h.PodUID != "" {
		keys = append(keys, joinKey{by: "uid", name: h.PodUID})
	}
	if h.Pod != "" {
		keys = append(keys, joinKey{by: "name", space: h.Namespace, name: h.Pod})
	}
	if h.PodIP != "" {
		keys = append(keys, joinKey{by: "ip", name: h.PodIP})
	}
	return keys
}

// lasting returns those of a pod's keys that no other pod gets after it.
func lasting(keys []joinKey) (left []joinKey) {
	for _, k := range keys {
		if k.by == "uid" || k.by == "name" {
			left = append(left, k)
		}
	}
	return left
}

// seriesPerAccount bounds the output series, as a multiple of MaxAccounts.
const seriesPerAccount = 16

// outputs holds the application metrics of all pods, also of those that hold
// no device yet.
type outputs struct {
	byKey         map[joinKey][]*outputStream
	series        int
	longestWindow time.Duration
}

// observe takes in a point. counted returns, by join, up to where the streams
// of those who hold something are counted.
func (o *outputs) observe(p gpu.Output, counted func() map[joinKey]gpu.Time, limit int, counts *Counts) {
	stream := o.stream(p, counted, o.series < limit)
	if stream == nil {
		counts.Points[Limit]++
		return
	}
	o.longestWindow = max(o.longestWindow, p.Profile.Window)
	if p.Time <= max(stream.counted, stream.late) {
		counts.Points[Late]++
		return
	}
	if stream.series[p.Series] == nil {
		if o.series >= limit {
			counts.Points[Limit]++
			return
		}
		o.series++
		stream.series[p.Series] = &timeline[outputPoint]{}
	}
	stream.add(p.Series, outputPoint{p.Time, p.Start, p.Value, p.Ended}, counts)
}

// stream returns the stream of a point. One that isn't known is made known if
// there is room, else nil. A new one may have been known before: what was
// counted then isn't counted again.
func (o *outputs) stream(p gpu.Output, counted func() map[joinKey]gpu.Time, room bool) *outputStream {
	key := strongest(p.Join)
	i := slices.IndexFunc(o.byKey[key], func(s *outputStream) bool {
		return s.join == key && s.group == p.Join.Group && s.profile.Metric == p.Profile.Metric
	})
	if i < 0 && !room {
		return nil
	}
	if i < 0 {
		i = len(o.byKey[key])
		o.byKey[key] = append(o.byKey[key], &outputStream{
			profile: p.Profile, join: key, group: p.Join.Group, series: map[string]*timeline[outputPoint]{},
			late: counted()[key],
		})
	}
	s := o.byKey[key][i]
	s.profile = p.Profile // a setting may have changed since it was saved
	if group := groupKey(p.Join.Group); p.Join.Group != "" && !slices.Contains(o.byKey[group], s) {
		o.byKey[group] = append(o.byKey[group], s)
	}
	return s
}

// of returns the streams of a holder.
func (o *outputs) of(keys []joinKey) (streams []*outputStream) {
	if len(o.byKey) == 0 {
		return nil
	}
	for _, k := range keys {
		streams = append(streams, o.byKey[k]...)
	}
	return streams
}

// sortedKeys returns the keys in an order of their own.
func (o *outputs) sortedKeys() []joinKey {
	keys := make([]joinKey, 0, len(o.byKey))
	for k := range o.byKey {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b joinKey) int {
		return cmp.Or(strings.Compare(a.by, b.by), strings.Compare(a.space, b.space), strings.Compare(a.name, b.name))
	})
	return keys
}

// forget drops points, series and streams that are keep older than the time
// needed; of points, none that is less than keep older than the newest of its
// stream.
func (o *outputs) forget(needed gpu.Time, keep time.Duration) {
	for key, streams := range o.byKey {
		live := streams[:0]
		for _, s := range streams {
			o.series -= s.forget(needed, keep)
			if len(s.series) > 0 {
				live = append(live, s)
			}
		}
		if len(live) == 0 {
			delete(o.byKey, key)
		} else {
			o.byKey[key] = live
		}
	}
}

// forget returns how many series it dropped.
func (s *outputStream) forget(needed gpu.Time, keep time.Duration) (dropped int) {
	for name, points := range s.series {
		forgetBeforeValue(points, min(needed, s.newest).Add(-keep))
		if n := len(*points); n == 0 || needed.Sub((*points)[n-1].time) > keep {
			delete(s.series, name)
			dropped++
		}
	}
	return dropped
}

// forgetBeforeValue drops the points before the last one at or before t, but for
// the newest value: later ones are compared with it.
func forgetBeforeValue(points *timeline[outputPoint], t gpu.Time) {
	last := points.after(t) - 1
	value := lastValue(*points, last+1)
	if value < 0 {
		points.forget(t)
		return
	}
	if value < last {
		*points = slices.Delete(*points, value+1, last)
	}
	*points = slices.Delete(*points, 0, value)
}
