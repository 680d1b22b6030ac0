// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import (
	stdflag "flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

var update = stdflag.Bool("update", false, "write the golden files of dcgm-exporter's text anew")

func exporterDecoder(labels bool) (*Decoder, *ExporterMemory) {
	memory := NewExporterMemory(90*time.Second, nil)
	return NewDecoder(Settings{LabelAllocation: labels, Instances: NewInstances(90 * time.Second), Exporter: memory}), memory
}

// TestExporterGolden holds what is made of each text to a file.
func TestExporterGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/exporter/*.txt")
	require.NoError(t, err)
	require.Len(t, files, 9)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txt")
		t.Run(name, func(t *testing.T) {
			got := decodedText(t, name)
			golden := strings.TrimSuffix(file, ".txt") + ".golden"
			if *update {
				require.NoError(t, os.WriteFile(golden, []byte(got), 0o600))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			require.Equal(t, string(want), got)
		})
	}
}

// decodedText returns what the decoder makes of a file, as text.
func decodedText(t *testing.T, name string) string {
	d, _ := exporterDecoder(true)
	var out strings.Builder
	for i, md := range exposition(t, name, 1, 30) {
		b, drops := d.Decode(md, 0)
		fmt.Fprintf(&out, "scrape %d\n", i)
		for _, s := range b.Samples {
			require.Equal(t, at(float64(1+30*i)), s.Time)
			require.Equal(t, "dcgm_exporter", s.Source)
			fmt.Fprintf(&out, "  sample %s %s %v, %s\n", s.Device.ID, s.Engine, s.Value, deviceText(s.Device))
		}
		for _, m := range b.Memory {
			fmt.Fprintf(&out, "  memory %s %d\n", m.Device, m.Bytes)
		}
		for _, a := range b.DeviceAllocations {
			fmt.Fprintf(&out, "  holder %s slot %q %q of pod %q, container %q\n", a.Device.ID, a.Slot, a.Holder.Key(), a.Holder.Pod, a.Holder.Container)
		}
		for _, n := range b.PartitionCounts {
			fmt.Fprintf(&out, "  count %s %d %v\n", n.Board.ID, n.Count, n.Ended)
		}
		for _, why := range slices.Sorted(maps.Keys(drops)) {
			fmt.Fprintf(&out, "  dropped %s %d\n", why, drops[why])
		}
		require.Empty(t, b.SeriesEnds)
	}
	return out.String()
}

func deviceText(d gpu.Device) string {
	text := fmt.Sprintf("node %s, %s", d.Node, d.Model)
	if d.Parent != "" {
		text += fmt.Sprintf(", %d/%d of %s", d.Slices.N, d.Slices.Of, d.Parent)
	}
	return text
}

// TestExporterStaleness: series that end say nothing, whatever ended them.
func TestExporterStaleness(t *testing.T) {
	d, _ := exporterDecoder(true)
	md := exposition(t, "mig", 1, 30)[0]
	b, drops := d.Decode(ended(md, at(31)), 0)
	require.Equal(t, gpu.Batch{}, b)
	require.Nil(t, drops)
}

// TestExporterForward: what was read is an input as every other, and nothing is
// read without a memory.
func TestExporterForward(t *testing.T) {
	d, _ := exporterDecoder(false)
	names := func(d *Decoder, f Forward) (names []string) {
		md := exposition(t, "plain", 1, 30)[0]
		d.Filter(md, f)
		for _, rm := range md.ResourceMetrics().All() {
			for _, sm := range rm.ScopeMetrics().All() {
				for _, m := range sm.Metrics().All() {
					names = append(names, m.Name())
				}
			}
		}
		return names
	}
	all := names(d, ForwardAll)
	require.Len(t, all, 7)
	require.Equal(t, all, names(d, ForwardDevice))
	require.Equal(t, []string{"DCGM_FI_DEV_SM_CLOCK", "DCGM_FI_DEV_MEM_COPY_UTIL"}, names(d, ForwardNone), "what the ledger doesn't need")
	require.Equal(t, all, names(NewDecoder(Settings{}), ForwardNone), "what isn't read")
}

// TestExporterRefusesOnce: each metric that isn't read is named once.
func TestExporterRefusesOnce(t *testing.T) {
	var refused []string
	memory := NewExporterMemory(time.Minute, func(metric string, why DropReason) { refused = append(refused, metric+" "+string(why)) })
	d := NewDecoder(Settings{Exporter: memory})
	for range 2 {
		for _, md := range exposition(t, "unknown", 1, 30) {
			d.Decode(md, 0)
		}
	}
	require.Equal(t, []string{
		"DCGM_FI_PROF_WARP_ENGINE_ACTIVE unknown_metric", "DCGM_FI_DEV_GPU_UTIL_RATIO unknown_unit",
		"DCGM_FI_PROF_SM_ACTIVE unsupported_type",
	}, refused)
}

// TestExporterTable: a name has one meaning, and what is passed is read nowhere.
func TestExporterTable(t *testing.T) {
	require.Len(t, exporterByName, len(exporterMetrics))
	for i := range exporterMetrics {
		m := &exporterMetrics[i]
		require.True(t, strings.HasPrefix(m.name, fieldPrefix))
		require.True(t, Owns(m.name))
		require.False(t, slices.Contains(exporterOthers, m.name))
	}
	for _, name := range exporterOthers {
		require.False(t, looksLikeEvidence(name))
	}
	for _, name := range []string{"DCGM_FI_PROF_NVDEC7_ACTIVE", "DCGM_FI_DEV_GPU_TEMP", "DCGM_FI_DEV_LOW_UTIL_VIOLATION", "DCGM_FI_DEV_POWER_USAGE"} {
		require.False(t, looksLikeEvidence(name), name)
	}
}

// TestProfileSlices: of every form of a profile's name.
func TestProfileSlices(t *testing.T) {
	for profile, want := range map[string]int{
		"1g.10gb": 1, "3g.40gb": 3, "1g.10gb+me": 1, "1c.3g.40gb": 3, "7g.80gb": 7, "MIG 2g.20gb": 2, "1g.12gb.me": 1,
		"": 0, "g.10gb": 0, "-1g.10gb": 0, "10gb": 0, "xg.5gb": 0, "0g.5gb": 0,
	} {
		require.Equal(t, want, profileSlices(profile), profile)
	}
}

// FuzzExporter: no names, labels and values make the decoder panic, it leaves
// its input alone, what it tells is within its range, and a point of a metric
// that is read is told or counted.
func FuzzExporter(f *testing.F) {
	const gr, util = "DCGM_FI_PROF_GR_ENGINE_ACTIVE", "DCGM_FI_DEV_GPU_UTIL"
	f.Add(gr, "", "GPU-1", "", "", "NVIDIA H100 80GB HBM3", "pod-0", "", "", "", 0.5, true)
	f.Add(util, "GPU utilization (in %).", "GPU-1", "", "", "Tesla T4", "pod-0", "", "0", "", 55.0, true)
	f.Add(util, "", "GPU-1", "3", "3g.40gb", "NVIDIA H100 80GB HBM3", "", "pod-0", "", "MIG-2", 55.0, false)
	f.Add(gr, "", "GPU-1", "3", "3g.40gb", "NVIDIA A30", "", "pod-0", "1", "", 140737488355328.0, false)
	f.Add("DCGM_FI_DEV_GPU_UTIL_RATIO", "in %", "GPU-1", "", "", "", "", "", "", "", 1.0, false)
	f.Add("DCGM_FI_DEV_FB_USED", "", "GPU-1", "x", "", "", "", "", "", "", -1.0, false)
	f.Fuzz(func(t *testing.T, name, help, uuid, number, profile, model, pod, exported, slot, dra string, v float64, labels bool) {
		md := metrics(t, attrs{"k8s.pod.name": "exporter-x"}, fieldPrefix+strings.TrimPrefix(name, fieldPrefix), gauge, pt{
			time: at(1), value: v, attrs: attrs{
				labelUUID: uuid, labelGI: number, labelGIProfile: profile, labelModel: model, "pod": pod,
				"exported_pod": exported, labelSlot: slot, labelDRADevice: dra,
			},
		})
		m := md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0)
		m.SetDescription(help)
		before := wire(t, md)
		d, _ := exporterDecoder(labels)
		b, drops := d.Decode(md, 0)
		for _, s := range b.Samples {
			require.True(t, s.Value >= 0 && s.Value <= 1, s.Value)
			require.NotEmpty(t, s.Device.ID)
			require.True(t, !isPartition(s.Device.ID) || s.Device.Slices.Valid() && s.Device.Parent != "")
		}
		if read := exporterByName[m.Name()]; read != nil && (!read.whole || number == "") {
			require.Equal(t, 1, len(b.Samples)+len(b.Memory)+drops.Total())
		}
		require.Equal(t, before, wire(t, md))
	})
}

// TestExporterReadme holds the processor's README to the table.
func TestExporterReadme(t *testing.T) {
	text, err := os.ReadFile("../../processor/gpuaccountingprocessor/README.md")
	require.NoError(t, err)
	_, table, found := strings.Cut(string(text), "<!-- exporter: checked -->\n")
	require.True(t, found)
	table, _, found = strings.Cut(table, "<!-- exporter: end -->")
	require.True(t, found)
	var rows []string
	for line := range strings.Lines(table) {
		if strings.HasPrefix(line, "| `") {
			cells := strings.Split(line, "|")
			rows = append(rows, strings.TrimSpace(cells[1]), strings.TrimSpace(cells[2]))
		}
	}
	want := make([]string, 0, len(exporterMetrics))
	for i := range exporterMetrics {
		m := &exporterMetrics[i]
		require.Equal(t, []string{"", "4.9.0"}[i%2], m.since, "both names of one meaning are next to each other")
		want = append(want, fmt.Sprintf("`%s`, %s", m.name, m.unit.name))
	}
	require.Equal(t, want, rows)
}

func TestHistogramNamedLikeAFieldIsPassedOver(t *testing.T) {
	for _, exponential := range []bool{false, true} {
		d, _ := exporterDecoder(true)
		for name, want := range map[string]Drops{
			"DCGM_FI_DEV_GPU_TEMP": nil,
			"DCGM_FI_DEV_GPU_UTIL": {DropUnsupportedType: 1},
			"DCGM_FI_NEW_UTIL":     {DropUnknownMetric: 1},
		} {
			b, drops := d.Decode(distributed(t, name, exponential, pmetric.AggregationTemporalityCumulative), 0)
			require.Equal(t, want, drops, name)
			require.Empty(t, b.Samples, name)
		}
	}
}

func TestUnitOfAHelpText(t *testing.T) {
	for name, texts := range map[string]map[string]bool{
		"DCGM_FI_DEV_FB_USED_BYTES": {
			"Number of bytes of the framebuffer in use.": false, "Framebuffer memory used (in MiB).": true, "MiBy": true, "By": false, "": false,
		},
		"DCGM_FI_DEV_FB_USED":        {"Used memory in mebibytes": false, "Memory used (in bytes)": true},
		"DCGM_FI_DEV_GPU_UTIL_RATIO": {"GPU utilization (0-100%).": true, "Ratio of time, in percent": true, "%": true, "1": false},
		"DCGM_FI_DEV_GPU_UTIL":       {"GPU utilization (in %).": false},
	} {
		for text, want := range texts {
			require.Equal(t, want, exporterByName[name].denies(text), "%s: %s", name, text)
		}
	}
}
