// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package kubetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/otelcol-gpu/otelcol-gpu/test/kube/internal/cni"
	"github.com/otelcol-gpu/otelcol-gpu/test/kube/internal/image"
	"github.com/otelcol-gpu/otelcol-gpu/test/kube/internal/node"
	"github.com/otelcol-gpu/otelcol-gpu/test/kube/internal/runner"
)

const (
	containerdSocket = "/run/containerd/containerd.sock" // within the node
	pauseImage       = "localhost/pause:1"
	// Image is the one that scripts run in. It is on the node.
	Image = "localhost/app:1"
)

// containerdConfig is for containerd 1.6 and later. A path of the machine that
// isn't given here is one that it would write to.
const containerdConfig = `version = 2
root = %[1]q
state = "/run/containerd"
disabled_plugins = [
  "io.containerd.internal.v1.opt",
  "io.containerd.snapshotter.v1.aufs", "io.containerd.snapshotter.v1.btrfs",
  "io.containerd.snapshotter.v1.devmapper", "io.containerd.snapshotter.v1.zfs",
]
[grpc]
address = %[2]q
[plugins."io.containerd.grpc.v1.cri"]
sandbox_image = %[3]q
restrict_oom_score_adj = true
disable_apparmor = true
tolerate_missing_hugetlb_controller = true
[plugins."io.containerd.grpc.v1.cri".cni]
bin_dir = %[4]q
conf_dir = %[5]q
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
runtime_type = "io.containerd.runc.v2"
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
SystemdCgroup = false
`

// startNode makes the node and starts containerd and the kubelet in it.
func (c *Cluster) startNode(ctx context.Context) (err error) {
	config := node.Config{
		Dir: c.Dir, Programs: string(c.programs), Hostname: c.NodeName,
		Mark: node.Mark(int(clusters.Add(1))), Address: c.network.String(),
	}
	err = joinAll(config.Write, c.writeContainerdConfig, func() error { return c.writeNetwork(config.Mark) },
		c.writeImages, c.writeKubeletConfig)
	if err != nil {
		return err
	}
	c.machine, err = runner.Launch(c.log("node"), c.programs.path(node.Program), "outside", c.Dir)
	if err != nil {
		return err
	}
	c.onStop(c.machine.Close)
	containerd, err := exec.LookPath("containerd")
	if err != nil {
		return err
	}
	if err := c.machine.Start("containerd", c.log("containerd"), containerd, "--config", c.path("containerd.toml")); err != nil {
		return err
	}
	if err := c.importImages(ctx); err != nil {
		return err
	}
	return c.StartKubelet()
}

func joinAll(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (c *Cluster) writeContainerdConfig() error {
	text := fmt.Sprintf(containerdConfig, c.path(node.Containerd), containerdSocket, pauseImage,
		c.path(node.CNIPrograms), c.path(node.CNIConfig))
	return os.WriteFile(c.path("containerd.toml"), []byte(text), 0o644)
}

// writeNetwork tells containerd of the bridge.
func (c *Cluster) writeNetwork(bridge string) error {
	const plugin = "bridge"
	for _, name := range []string{plugin, "loopback"} {
		// The folder of programs, as the node sees it.
		if err := os.Symlink(c.path(node.Programs, node.Program), c.path(node.CNIPrograms, name)); err != nil {
			return err
		}
	}
	text, err := json.Marshal(cni.Config{
		Version: cni.Version, Name: "pods", Type: plugin,
		Bridge: bridge, Gateway: c.network.String(), Addresses: c.path(node.CNIAddresses),
	})
	if err != nil {
		return err
	}
	return os.WriteFile(c.path(node.CNIConfig, "10-pods.conf"), text, 0o644)
}

// NewImage returns an image with the program of scripts that is padding bytes
// larger, for Registry.Add.
func (c *Cluster) NewImage(padding int) (*image.Image, error) {
	program, err := os.ReadFile(c.programs.path(app))
	if err != nil {
		return nil, err
	}
	return image.New(program, []string{"/" + app}, padding)
}

func (c *Cluster) writeImages() error {
	img, err := c.NewImage(0)
	if err != nil {
		return err
	}
	if err := c.writeImage(img, "app.tar", Image); err != nil {
		return err
	}
	program, err := os.ReadFile(c.programs.path(app))
	if err != nil {
		return err
	}
	if img, err = image.New(program, []string{"/" + app, "pause"}, 0); err != nil {
		return err
	}
	return c.writeImage(img, "pause.tar", pauseImage)
}

func (c *Cluster) writeImage(img *image.Image, file, name string) error {
	out, err := os.Create(c.path(node.Images, file))
	if err != nil {
		return err
	}
	return errors.Join(img.WriteArchive(out, name), out.Close())
}

// importImages waits for containerd and gives it the images.
func (c *Cluster) importImages(ctx context.Context) error {
	ctr, err := exec.LookPath("ctr")
	if err != nil {
		return err
	}
	ctl := func(args ...string) error {
		return c.machine.Run("ctr", c.log("ctr"), append([]string{ctr, "--address", containerdSocket, "--namespace", "k8s.io"}, args...)...)
	}
	err = poll(ctx, "waiting for containerd", func(context.Context) (bool, error) {
		err := ctl("version")
		return err == nil, err
	})
	if err != nil {
		return err
	}
	files, err := filepath.Glob(c.path(node.Images, "*.tar"))
	if err != nil {
		return err
	}
	for _, file := range files {
		if err := ctl("images", "import", file); err != nil {
			return err
		}
	}
	return nil
}
