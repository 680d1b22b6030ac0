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
	"sync"
	"syscall"
)

// Client is a process that serves, from outside.
type Client struct {
	cmd   *exec.Cmd
	stdin io.Closer

	mu        sync.Mutex // one request at a time; guards what follows
	requests  *json.Encoder
	responses *json.Decoder
}

// Launch starts a program that calls Serve. Its log takes what it says itself.
func Launch(log, program string, args ...string) (*Client, error) {
	file, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	cmd := exec.Command(program, args...)
	cmd.Stderr = file
	// A session of its own: Ctrl-C reaches the test, and the end of the test us.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting %s: %w", program, err)
	}
	return &Client{cmd: cmd, stdin: stdin, requests: json.NewEncoder(stdin), responses: json.NewDecoder(stdout)}, nil
}

// Start starts a process whose output goes to a log.
func (c *Client) Start(name, log string, args ...string) error {
	return c.call(request{Op: "start", Name: name, Log: log, Args: args})
}

// Run starts a process and waits for its end.
func (c *Client) Run(name, log string, args ...string) error {
	return c.call(request{Op: "run", Name: name, Log: log, Args: args})
}

// Alive returns an error if a process has ended.
func (c *Client) Alive(name string) error { return c.call(request{Op: "alive", Name: name}) }

// Stop asks a process to end and waits until it has.
func (c *Client) Stop(name string) error { return c.call(request{Op: "stop", Name: name}) }

// Kill ends a process as a power cut does.
func (c *Client) Kill(name string) error { return c.call(request{Op: "kill", Name: name}) }

func (c *Client) call(r request) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.requests.Encode(r); err != nil {
		return fmt.Errorf("asking to %s %s: %w", r.Op, r.Name, err)
	}
	var answer response
	if err := c.responses.Decode(&answer); err != nil {
		return fmt.Errorf("no answer to %s %s: %w", r.Op, r.Name, err)
	}
	if answer.Error != "" {
		return errors.New(answer.Error)
	}
	return nil
}

// Close ends the program and all that it has started.
func (c *Client) Close() error {
	return errors.Join(c.stdin.Close(), c.cmd.Wait())
}
