// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpuplugin

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"
)

// Event is what an entry of the log tells of.
type Event string

// The events of the log.
const (
	Registered Event = "registered" // with the kubelet, of a resource
	Allocate   Event = "allocate"   // the kubelet has asked for devices
	Open       Event = "open"       // a process in the container has opened them
	Free       Event = "free"       // and that process is gone
	Health     Event = "health"     // of one device has changed
)

// Entry is one line of the log.
type Entry struct {
	At         time.Time `json:"at"` // to the nanosecond
	Event      Event     `json:"event"`
	Resource   string    `json:"resource,omitempty"`
	Devices    []string  `json:"devices,omitempty"`
	Allocation int       `json:"allocation,omitempty"` // counts the calls of Allocate, a container each
	Namespace  string    `json:"namespace,omitempty"`  // of open and free
	Pod        string    `json:"pod,omitempty"`        // of open and free
	UID        string    `json:"uid,omitempty"`        // of open and free
	Container  string    `json:"container,omitempty"`  // of open and free
	Healthy    *bool     `json:"healthy,omitempty"`    // of health
}

// Log is the plugin's own account of its devices: in memory and, a line of
// JSON each, in a file.
type Log struct {
	mu      sync.Mutex // guards what follows
	file    *os.File
	entries []Entry
	changed chan struct{} // closed with the next entry
}

func openLog(path string) (*Log, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, fmt.Errorf("opening the log of the device plugin: %w", err)
	}
	return &Log{file: file, changed: make(chan struct{})}, nil
}

func (l *Log) add(e Entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e.At = time.Now().Round(0)
	l.entries = append(l.entries, e)
	// A full disk can't be told to the kubelet; the memory's log is complete.
	_ = json.NewEncoder(l.file).Encode(e)
	close(l.changed)
	l.changed = make(chan struct{})
}

// Entries returns all there are, and a channel that is closed once there's
// another.
func (l *Log) Entries() ([]Entry, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.entries), l.changed
}

func (l *Log) close() error { return l.file.Close() }
