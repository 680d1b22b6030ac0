// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package holder is how a container and the plugin that gave it a device stay
// in touch. A device plugin isn't told when a device is free again. So the
// program in the container holds a connection to the plugin as long as it
// lives: the kernel closes it when the process is gone, however it went, and
// whatever the kubelet says of it.
package holder

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Where the plugin's socket is in a container, and the start of the name of
// the variables that say which allocations a container has. Each has its own
// variable: those of several resources come together in one container.
const (
	MountPath        = "/run/gpu-holders"
	socketName       = "holders.sock"
	AllocationPrefix = "GPU_ALLOCATION_"
)

// Container says who holds a device.
type Container struct {
	Namespace   string `json:"namespace,omitempty"`
	Pod         string `json:"pod,omitempty"`
	UID         string `json:"uid,omitempty"`
	Name        string `json:"container,omitempty"`
	Allocations []int  `json:"allocations"` // by the plugin's own numbers
}

// The variables that a pod tells its containers by who they are.
const (
	EnvNamespace = "POD_NAMESPACE"
	EnvPod       = "POD_NAME"
	EnvUID       = "POD_UID"
	EnvContainer = "CONTAINER_NAME"
)

// Self returns what the environment says of this container.
func Self() Container {
	c := Container{
		Namespace: os.Getenv(EnvNamespace), Pod: os.Getenv(EnvPod),
		UID: os.Getenv(EnvUID), Name: os.Getenv(EnvContainer),
	}
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		if number, found := strings.CutPrefix(name, AllocationPrefix); found {
			if n, err := strconv.Atoi(number); err == nil {
				c.Allocations = append(c.Allocations, n)
			}
		}
	}
	return c
}

// Hold opens the devices of this container, if it has any. The plugin knows of
// it when Hold returns. They are closed when the process ends.
func Hold() (io.Closer, error) {
	self := Self()
	if len(self.Allocations) == 0 {
		return nil, nil
	}
	conn, err := net.Dial("unix", filepath.Join(MountPath, socketName))
	if err != nil {
		return nil, fmt.Errorf("opening a device: %w", err)
	}
	if err := json.NewEncoder(conn).Encode(self); err != nil {
		return nil, fmt.Errorf("opening a device: %w", err)
	}
	if _, err := conn.Read(make([]byte, 1)); err != nil {
		return nil, fmt.Errorf("the plugin refused to open allocations %v: %w", self.Allocations, err)
	}
	return conn, nil
}

// Listen makes the plugin's side of it in a folder.
func Listen(dir string) (net.Listener, error) {
	socket := filepath.Join(dir, socketName)
	listener, err := net.Listen("unix", socket)
	if err != nil {
		return nil, fmt.Errorf("listening for holders of devices: %w", err)
	}
	return listener, os.Chmod(socket, 0o777) // whoever a container runs as
}

// Serve calls opened when a container opens its devices and freed when its
// process is gone. It returns when the listener is closed.
func Serve(listener net.Listener, opened, freed func(Container)) {
	for {
		conn, err := listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			continue
		}
		go func() {
			defer conn.Close()
			var c Container
			if err := json.NewDecoder(conn).Decode(&c); err != nil {
				return
			}
			opened(c)
			_, _ = conn.Write([]byte{'.'})
			_, _ = io.Copy(io.Discard, conn) // until the end of the process
			freed(c)
		}()
	}
}
