// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Command app is the only program in the test images. What it does is said by
// its arguments:
//
//	app pause                       the process that holds a pod together
//	app [linger=3s] [term=1] STEP…  a scripted application, see package script
//	app exists FILE                 an exec probe
//
// After a signal, a script goes on for the time of linger and ends with the
// status of term.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/test/kube/internal/holder"
	"github.com/otelcol-gpu/otelcol-gpu/test/kube/internal/script"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	status, err := run(ctx, os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	stop()
	os.Exit(status)
}

func run(ctx context.Context, args []string) (int, error) {
	switch {
	case len(args) == 0:
		return 2, errors.New("usage: app pause | exists FILE | STEP [STEP]")
	case args[0] == "pause":
		pause(ctx)
		return 0, nil
	case args[0] == "exists" && len(args) == 2:
		if _, err := os.Stat(args[1]); err != nil {
			return 1, err
		}
		return 0, nil
	default:
		return application(ctx, args)
	}
}

// pause waits for a signal. As process 1 of a pod whose containers share their
// processes, it takes note of the ends of orphans.
func pause(ctx context.Context) {
	children := make(chan os.Signal, 1)
	signal.Notify(children, syscall.SIGCHLD)
	for {
		select {
		case <-ctx.Done():
			return
		case <-children:
			for {
				if pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); err != nil || pid <= 0 {
					break
				}
			}
		}
	}
}

func application(ctx context.Context, args []string) (int, error) {
	log := script.Log{Out: os.Stdout}
	log.Say("start", "")
	devices, err := holder.Hold()
	if err != nil {
		return 1, err
	}
	if devices != nil {
		defer devices.Close()
	}
	linger, status, steps, err := options(args)
	if err != nil {
		return 2, err
	}
	err = script.Run(ctx, log, steps)
	var exit script.Exit
	switch {
	case ctx.Err() != nil:
		log.Say("signal", "")
		<-time.After(linger)
		log.Say("end", strconv.Itoa(status))
		return status, nil
	case errors.As(err, &exit):
		log.Say("end", strconv.Itoa(int(exit)))
		return int(exit), nil
	case err != nil:
		log.Say("failed", err.Error())
		return 1, err
	default:
		log.Say("end", "0")
		return 0, nil
	}
}

// options takes what isn't a step from the front of the arguments.
func options(args []string) (linger time.Duration, status int, steps []string, err error) {
	for i, arg := range args {
		if value, found := strings.CutPrefix(arg, "linger="); found {
			linger, err = time.ParseDuration(value)
		} else if value, found := strings.CutPrefix(arg, "term="); found {
			status, err = strconv.Atoi(value)
		} else {
			return linger, status, args[i:], nil
		}
		if err != nil {
			return 0, 0, nil, fmt.Errorf("%s: %w", arg, err)
		}
	}
	return linger, status, nil, nil
}
