// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package script is what the application in the test images does: one step
// after the other, as its arguments say. Each step is written to the log when
// it begins, with the time to the nanosecond.
package script

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Entry is one line of the application's log.
type Entry struct {
	At     time.Time `json:"at"`
	Step   string    `json:"step"`
	Detail string    `json:"detail,omitempty"`
}

// Log writes entries.
type Log struct{ Out io.Writer }

// Say writes one.
func (l Log) Say(step, detail string) {
	// No error can be told where no output can be written.
	_ = json.NewEncoder(l.Out).Encode(Entry{At: time.Now(), Step: step, Detail: detail})
}

// Exit ends a script with a status.
type Exit int

func (e Exit) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// steps are all there are. Each returns as soon as ctx is done.
var steps = map[string]func(ctx context.Context, log Log, argument string) error{
	"sleep": sleep,
	"load":  load,
	"ready": ready,
	"wait":  wait,
	"serve": serve,
	"get":   get,
	"exit":  exit,
}

// Run does the steps of a script until one fails, or ctx is done. A script
// that isn't known fails before its first step.
//
//	sleep=2s      do nothing
//	load=4s       load a model that takes so long, and tell of every tenth
//	ready[=FILE]  make the file that the readiness probe looks for
//	serve=:8080   answer HTTP in the background
//	get=URL       fail unless that answers
//	wait          go on until a signal comes
//	exit=3        end with this status
func Run(ctx context.Context, log Log, script []string) error {
	for _, step := range script {
		if name, _, _ := strings.Cut(step, "="); steps[name] == nil {
			return fmt.Errorf("unknown step %q", step)
		}
	}
	for _, step := range script {
		log.Say(step, "")
		name, argument, _ := strings.Cut(step, "=")
		if err := steps[name](ctx, log, argument); err != nil {
			return err
		}
	}
	return nil
}

func sleep(ctx context.Context, _ Log, argument string) error {
	d, err := time.ParseDuration(argument)
	if err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

func load(ctx context.Context, log Log, argument string) error {
	d, err := time.ParseDuration(argument)
	if err != nil {
		return err
	}
	for percent := 10; percent <= 100; percent += 10 {
		if err := sleep(ctx, log, (d / 10).String()); err != nil {
			return err
		}
		log.Say("loaded", strconv.Itoa(percent))
	}
	return nil
}

// ReadyFile is what `ready` makes unless it's told otherwise.
const ReadyFile = "/tmp/ready"

func ready(_ context.Context, _ Log, argument string) error {
	if argument == "" {
		argument = ReadyFile
	}
	if err := os.MkdirAll(filepath.Dir(argument), 0o755); err != nil {
		return err
	}
	return os.WriteFile(argument, nil, 0o644)
}

func wait(ctx context.Context, _ Log, _ string) error {
	<-ctx.Done()
	return ctx.Err()
}

func serve(ctx context.Context, log Log, argument string) error {
	server := &http.Server{
		Addr: argument, ReadHeaderTimeout: time.Minute,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			log.Say("served", r.RemoteAddr)
			fmt.Fprintln(w, os.Getenv("POD_NAME"))
		}),
	}
	go func() { log.Say("serve ended", server.ListenAndServe().Error()) }()
	context.AfterFunc(ctx, func() { _ = server.Close() }) // the process ends too
	return nil
}

func get(ctx context.Context, log Log, argument string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, argument, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("GET %s: %s", argument, resp.Status)
	}
	log.Say("got", strings.TrimSpace(string(body)))
	return nil
}

func exit(_ context.Context, _ Log, argument string) error {
	code, err := strconv.Atoi(argument)
	if err != nil {
		return err
	}
	return Exit(code)
}
