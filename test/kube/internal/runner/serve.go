// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"syscall"
	"time"
)

// grace is how long a process may take to end once it's asked to.
const grace = 5 * time.Second

// process is one that was started.
type process struct {
	name string
	cmd  *exec.Cmd
	done chan struct{} // closed when it has ended
	err  error         // what Wait said; to be read after done
}

// server holds the processes that run, the oldest first.
type server struct {
	running []*process
}

// Serve does what the requests of in ask for and returns when in ends, with
// none of its processes left.
func Serve(in io.Reader, out io.Writer) error {
	// The kernel ends the children with the thread that has made them: this one
	// has to live as long as the process does.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	s := &server{}
	defer s.killAll()
	requests, responses := json.NewDecoder(in), json.NewEncoder(out)
	for {
		var r request
		if err := requests.Decode(&r); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("reading a request: %w", err)
		}
		var answer response
		if err := s.do(r); err != nil {
			answer.Error = err.Error()
		}
		if err := responses.Encode(answer); err != nil {
			return fmt.Errorf("answering %s %s: %w", r.Op, r.Name, err)
		}
	}
}

func (s *server) do(r request) error {
	switch r.Op {
	case "start":
		_, err := s.start(r)
		return err
	case "run":
		p, err := s.start(r)
		if err != nil {
			return err
		}
		<-p.done
		s.forget(p)
		return p.err
	case "alive":
		_, err := s.living(r.Name)
		return err
	case "stop":
		return s.end(r.Name, syscall.SIGTERM)
	case "kill":
		return s.end(r.Name, syscall.SIGKILL)
	default:
		return fmt.Errorf("unknown operation %q", r.Op)
	}
}

func (s *server) start(r request) (*process, error) {
	if p := s.find(r.Name); p != nil && p.alive() {
		return nil, fmt.Errorf("%s runs already", r.Name)
	} else if p != nil {
		s.forget(p)
	}
	if len(r.Args) == 0 {
		return nil, fmt.Errorf("starting %s: no program is given", r.Name)
	}
	log, err := os.OpenFile(r.Log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, fmt.Errorf("opening the log of %s: %w", r.Name, err)
	}
	defer log.Close()
	cmd := exec.Command(r.Args[0], r.Args[1:]...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting %s: %w", r.Name, err)
	}
	p := &process{name: r.Name, cmd: cmd, done: make(chan struct{})}
	go func() {
		if p.err = cmd.Wait(); p.err != nil {
			p.err = fmt.Errorf("%s: %w; its log is %s", r.Name, p.err, r.Log)
		}
		close(p.done)
	}()
	s.running = append(s.running, p)
	return p, nil
}

// end signals a process and waits until it's over. One that doesn't end in
// time is killed.
func (s *server) end(name string, signal syscall.Signal) error {
	p, err := s.living(name)
	if err != nil {
		return err
	}
	if err := p.cmd.Process.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("signalling %s: %w", name, err)
	}
	select {
	case <-p.done:
	case <-time.After(grace):
		_ = p.cmd.Process.Kill() // it may have ended meanwhile
		<-p.done
	}
	s.forget(p)
	return nil
}

// living returns a process that runs.
func (s *server) living(name string) (*process, error) {
	p := s.find(name)
	if p == nil {
		return nil, fmt.Errorf("%s wasn't started", name)
	}
	if !p.alive() {
		s.forget(p)
		return nil, fmt.Errorf("%s has ended by itself: %w", name, p.err)
	}
	return p, nil
}

// killAll ends what is left, the youngest first.
func (s *server) killAll() {
	for _, p := range slices.Backward(s.running) {
		_ = p.cmd.Process.Kill() // it may have ended already
		<-p.done
	}
	s.running = nil
}

func (p *process) alive() bool {
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

func (s *server) find(name string) *process {
	for _, p := range s.running {
		if p.name == name {
			return p
		}
	}
	return nil
}

func (s *server) forget(gone *process) {
	s.running = slices.DeleteFunc(s.running, func(p *process) bool { return p == gone })
}
