// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package session

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/engine"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/sample"
)

// part adds a GPU instance with one compute instance, that is a quarter busy.
func (f *fake) part(id, board, slices uint, uuid string) {
	f.instances = append(f.instances,
		engine.Instance{Entity: gi(id), Parent: gpu(board), GPUInstance: id, Slices: slices},
		engine.Instance{Entity: ci(id), Parent: gi(id), GPUInstance: id, Slices: slices})
	f.text(ci(id), sample.UUID, uuid)
	f.text(ci(id), sample.Name, "1g.10gb")
	f.ratio(ci(id), sample.EngineActive, 0.25)
	f.ratio(gi(id), sample.DRAMActive, 0.5)
}

// A board comes and another goes: nothing of one that stays is lost.
func TestBoardsComeAndGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.board(0, "GPU-a")
		f.board(1, "GPU-b")
		r := run(t, f)
		pass(21 * time.Second)
		r.Read()
		f.change(func() {
			f.gpus = f.gpus[1:]
			f.board(2, "GPU-c")
		})
		pass(20 * time.Second)
		accounts := r.Read()
		if len(accounts) != 3 || !accounts[0].Ended || accounts[0].Device.UUID != "GPU-a" || !accounts[0].Points[0].Ended {
			t.Fatalf("got %+v", accounts)
		}
		stayed, came := accounts[1].Points[0], accounts[2].Points[0]
		if stayed.Observed != time.Duration(stayed.Time-stayed.Start) || r.since(stayed.Time) != 41*time.Second {
			t.Errorf("of the one that stays: %+v", stayed)
		}
		if since := r.since(came.Start); since < 21*time.Second || since > 32*time.Second {
			t.Errorf("the new one begins at %v", since)
		}
		if again := r.Read(); len(again) != 2 {
			t.Errorf("the end was told again: %+v", again)
		}
	})
}

// A lost GPU answers with sentinels: it stays a device, with what isn't known.
func TestLostBoard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.board(0, "GPU-a")
		r := run(t, f)
		pass(21 * time.Second)
		f.change(func() {
			f.gpus[0].Status = engine.Lost
			f.text(gpu(0), sample.UUID, "<<<NULL>>>")
			f.ratio(gpu(0), sample.EngineActive, 140737488355328)
			f.ratio(gpu(0), sample.PowerWatts, 140737488355328)
		})
		pass(20 * time.Second)
		r.expect(t, "lost", "GPU-a engine/prof 0s..21s 10.5s/21s")
		lost := r.Read()[0]
		if lost.Device.Status != engine.Lost || len(lost.Gauges) != 0 || lost.Drops[sample.Blank] == 0 {
			t.Errorf("got %+v", lost)
		}
		f.change(func() {
			f.gpus[0].Status = engine.OK
			f.text(gpu(0), sample.UUID, "GPU-a")
			f.ratio(gpu(0), sample.EngineActive, 1)
		})
		pass(20 * time.Second)
		p := r.Read()[0].Points[0]
		if got := p.Observed; got < 40*time.Second || got > 42*time.Second || r.since(p.Start) != 0 {
			t.Errorf("back: %+v", p)
		}
	})
}

// A driver that can't be read once is the same driver; another one that is read
// is another, and nothing of the device begins anew with its name.
func TestDriverIsReplaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.board(0, "GPU-a")
		f.text(gpu(0), sample.DriverVersion, "570.1")
		r := run(t, f)
		for _, step := range []struct{ read, want string }{{"570.1", "570.1"}, {"<<<NULL>>>", "570.1"}, {"580.1", "580.1"}} {
			f.change(func() { f.text(gpu(0), sample.DriverVersion, step.read) })
			pass(20 * time.Second)
			accounts := r.Read()
			if len(accounts) != 1 || accounts[0].Device.Driver != step.want || r.since(accounts[0].Points[0].Start) != 0 {
				t.Errorf("%s is read: got %+v", step.read, accounts)
			}
		}
	})
}

// A board is cut into other instances, whose ids are those of the old ones.
func TestInstancesAreOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.board(0, "GPU-a")
		f.part(0, 0, 1, "MIG-old")
		r := run(t, f)
		pass(21 * time.Second)
		r.expect(t, "one instance", "GPU-a\nMIG-old engine/prof 0s..21s 5.25s/21s dram/prof 0s..21s 10.5s/21s")
		f.change(func() {
			f.instances = nil
			f.part(0, 0, 3, "MIG-new")
			f.part(1, 0, 1, "MIG-more")
		})
		pass(20 * time.Second)
		var told []string
		for _, a := range r.Read() {
			told = append(told, a.Device.UUID)
			if a.Device.UUID == "MIG-old" != a.Ended {
				t.Errorf("%s ended: %v", a.Device.UUID, a.Ended)
			}
		}
		if want := []string{"MIG-old", "GPU-a", "MIG-more", "MIG-new"}; !slices.Equal(told, want) {
			t.Errorf("got %v, want %v", told, want)
		}
		f.change(func() { f.instances = nil })
		pass(20 * time.Second)
		for _, a := range r.Read() {
			if a.Device.UUID == "GPU-a" && !a.Ended && len(a.Points) == 0 {
				t.Error("the whole board isn't accounted")
			}
		}
	})
}

// One field that can't be served costs that field only.
func TestFieldThatIsNotServed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.board(0, "GPU-a")
		f.board(1, "GPU-b")
		f.ratio(gpu(1), sample.FP64Active, 1)
		f.refused[route{gpu(0), sample.FP64Active}] = true
		r := run(t, f)
		pass(21 * time.Second)
		r.expect(t, "without FP64 on one", "GPU-a engine/prof 0s..21s 10.5s/21s\nGPU-b engine/prof 0s..21s 10.5s/21s fp64/prof 0s..21s 21s/21s")
		var had, has uintptr
		f.change(func() { had = f.handed })
		pass(100 * time.Second)
		f.change(func() { has = f.handed })
		// A look makes one watch, to read what the devices are, and ends it.
		if made := has - had; made > 11 {
			t.Errorf("%d watches were made in 100 s", made)
		}
	})
}

// The engine gives the last XID for ever, also one of before we came. Two of the
// same code are two. It has them some time after they happened.
func TestXIDs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.board(0, "GPU-a")
		f.xid(0, 79)
		r := run(t, f)
		pass(11 * time.Second)
		r.expect(t, "one of before", "GPU-a engine/prof 0s..11s 5.5s/11s")
		f.change(func() { f.xid(0, 31) })
		pass(10 * time.Second)
		r.expect(t, "the first", "GPU-a engine/prof 0s..21s 10.5s/21s xid 31")
		pass(10 * time.Second)
		r.expect(t, "no other", "GPU-a engine/prof 0s..31s 15.5s/31s")
		f.change(func() { f.xid(0, 31) })
		pass(10 * time.Second)
		r.expect(t, "the same again", "GPU-a engine/prof 0s..41s 20.5s/41s xid 31")
		sums := r.Read()[0].Sums
		if last := sums[len(sums)-1]; last.XID != 31 || last.Whole != 2 || r.since(last.Time*1000) != 41*time.Second {
			t.Errorf("the count: %+v", last)
		}
		f.start()
		pass(20 * time.Second)
		if xids := r.Read()[0].XIDs; len(xids) != 0 {
			t.Errorf("a new engine's last one was told again: %v", xids)
		}
	})
}

// What is said not to be supported isn't asked for any more.
func TestUnsupportedFieldIsNotWatched(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.board(0, "GPU-a")
		f.board(1, "GPU-b")
		f.number(gpu(0), sample.Util, 9223372036854775794)
		f.number(gpu(1), sample.Util, 40)
		r := run(t, f)
		pass(31 * time.Second)
		f.change(func() {
			for _, w := range f.watches {
				if slices.Contains(w.fields, sample.Util) && slices.Contains(w.entities, gpu(0)) {
					t.Error("203 of GPU 0 is still watched")
				}
			}
		})
		if g := r.Read()[1].Gauges; g[sample.Util].Value.Int != 40 {
			t.Errorf("203 of GPU 1: %+v", g)
		}
	})
}

// What wasn't served is asked for again after a while: another client may have
// had the profiling.
func TestRefusedFieldIsServedLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.board(0, "GPU-a")
		f.ratio(gpu(0), sample.TensorActive, 0.5)
		f.refused[route{gpu(0), sample.EngineActive}] = true
		f.refused[route{gpu(0), sample.TensorActive}] = true
		r := run(t, f)
		pass(5 * time.Minute)
		r.expect(t, "refused", "GPU-a")
		f.change(func() { clear(f.refused) })
		pass(10 * time.Minute)
		if got := len(r.Read()[0].Points); got != 2 {
			t.Errorf("%d engines are measured", got)
		}
	})
}

// A board of which nothing can be read costs that board only.
func TestBoardThatCannotBeWatched(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.board(0, "GPU-a")
		f.board(1, "GPU-b")
		f.refused[route{gpu(1), sample.UUID}] = true
		r := run(t, f)
		pass(21 * time.Second)
		r.state(t, "one of two", "")
		r.expect(t, "one of two", "GPU-a engine/prof 0s..21s 10.5s/21s")
		if lacks := r.State().Lacks; len(lacks) != 1 || lacks[0].Entity != gpu(1) || lacks[0].Reason != "no_uuid" {
			t.Errorf("lacks: %+v", lacks)
		}
	})
}
