package truth_test

import (
	"testing"
	"time"
	"fmt"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/watch"
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/world"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

func TestDbg(t *testing.T) {
	w := &world.World{Start: begin, End: at(1200)}
	n := &world.Node{Name: "node-0", Cluster: "c", Devices: []*world.Device{
		{Device: gpu.Device{ID: "GPU-node-0-0"}, Life: world.Span{begin, w.End}},
		{Device: gpu.Device{ID: "GPU-node-0-1"}, Life: world.Span{begin, w.End}},
	}}
	w.Nodes = append(w.Nodes, n)
	s := watch.Settings{Interval: time.Second, Sample: time.Second, Scrape: 5 * time.Second}
	o := watch.New(w, n, s)
	fmt.Println(len(o.Ticks), o.Ticks[0], o.Ticks[len(o.Ticks)-1], o.Ticks[len(o.Ticks)-2])
	compare(t, expected(w, s), accounted(w, s))
}
