// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package kubetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/otelcol-gpu/otelcol-gpu/test/kube/internal/cni"
	"github.com/otelcol-gpu/otelcol-gpu/test/kube/internal/image"
	"github.com/otelcol-gpu/otelcol-gpu/test/kube/internal/node"
	"github.com/otelcol-gpu/otelcol-gpu/test/kube/internal/runner"
	"github.com/otelcol-gpu/otelcol-gpu/test/kube/internal/unconfined"
)

const (
	containerdSocket = "/run/containerd/containerd.sock" // within the node
	pauseImage       = "localhost/pause:1"
	// Image is the one that scripts run in. It is on the node.
	Image = "localhost/app:1"
)

// containerdConfig is for containerd 2. A path of the machine that isn't given
// here is one that it would write to.
const containerdConfig = `version = 3
root = %[1]q
state = "/run/containerd"
disabled_plugins = [
  "io.containerd.internal.v1.opt", "io.containerd.nri.v1.nri",
  "io.containerd.snapshotter.v1.blockfile", "io.containerd.snapshotter.v1.erofs",
]
[grpc]
address = %[2]q
[plugins."io.containerd.cri.v1.images".pinned_images]
sandbox = %[3]q
[plugins."io.containerd.cri.v1.runtime"]
restrict_oom_score_adj = true
disable_apparmor = true
tolerate_missing_hugetlb_controller = true
[plugins."io.containerd.cri.v1.runtime".cni]
bin_dirs = [%[4]q]
conf_dir = %[5]q
[plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc]
runtime_type = "io.containerd.runc.v2"
runtime_path = %[6]q
[plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc.options]
BinaryName = %[7]q
SystemdCgroup = false
`

// startNode makes the node and starts containerd and the kubelet in it.
func (c *Cluster) startNode(context.Context) (err error) {
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
	program := c.path(node.Programs, containerd)
	if err := c.machine.Start(containerd, c.log(containerd), program, "--config", c.path("containerd.toml")); err != nil {
		return err
	}
	if err := c.importImages(); err != nil {
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
	err := os.Symlink(c.path(node.Programs, node.Program), c.path(node.Runtime, unconfined.Runc))
	if err != nil {
		return err
	}
	text := fmt.Sprintf(containerdConfig, c.path(node.Containerd), containerdSocket, pauseImage,
		c.path(node.CNIPrograms), c.path(node.CNIConfig), c.path(node.Programs, shim), c.path(node.Runtime, unconfined.Runc))
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
func (c *Cluster) importImages() error {
	files, err := filepath.Glob(c.path(node.Images, "*.tar"))
	if err != nil {
		return err
	}
	importer := []string{c.path(node.Programs, containerd), "import", containerdSocket}
	return c.machine.Run("import", c.log("import"), append(importer, files...)...)
}
