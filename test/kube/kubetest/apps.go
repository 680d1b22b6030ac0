// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package kubetest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"testing"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/test/kube/internal/image"
	"github.com/otelcol-gpu/otelcol-gpu/test/kube/internal/node"
)

// ImportDockerfile puts the image that a Dockerfile makes of a folder on the
// node, under a name with a tag; its base is empty. Pods may not pull it.
func (c *Cluster) ImportDockerfile(t testing.TB, name, file, folder string, args map[string]string) {
	t.Helper()
	img, err := image.FromDockerfile(file, folder, args)
	if err != nil {
		t.Fatal(err)
	}
	const archive = "made.tar"
	if err := c.writeImage(img, archive, name); err != nil {
		t.Fatal(err)
	}
	err = c.machine.Run("import", c.log("import"), c.path(node.Programs, containerd), "import", containerdSocket, c.path(node.Images, archive))
	if err != nil {
		t.Fatalf("importing %s: %v", name, err)
	}
}

// APIServerForPods lets pods reach the API server, at an address of the node.
func (c *Cluster) APIServerForPods(t testing.TB) (host, port string) {
	t.Helper()
	address := c.Service(t, func() string { return fmt.Sprintf("127.0.0.1:%d", c.ports.apiServer) })
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	return host, port
}

// Service returns an address of the node that leads pods to where target says
// at each connection; nowhere, if that is "". A cluster has no addresses of
// services of its own.
func (c *Cluster) Service(t testing.TB, target func() string) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", net.JoinHostPort(c.NodeIP, "0"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go serve(t.Context(), listener, target)
	return listener.Addr().String()
}

// serve connects all who come, until the listener closes.
func serve(ctx context.Context, listener net.Listener, target func() string) {
	for {
		in, err := listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err == nil {
			go connect(ctx, in, target())
		}
	}
}

func connect(ctx context.Context, in net.Conn, to string) {
	defer in.Close()
	dialer := net.Dialer{Timeout: time.Second}
	out, err := dialer.DialContext(ctx, "tcp", to)
	if err != nil {
		return
	}
	defer out.Close()
	go func() {
		io.Copy(out, in) //nolint:errcheck // whoever closes ends both
		out.Close()
	}()
	io.Copy(in, out) //nolint:errcheck // likewise
}
