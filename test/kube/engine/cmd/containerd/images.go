// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/containerd/containerd/v2/client"
)

const (
	// Where containerd keeps what the kubelet can see.
	namespace = "k8s.io"
	// patience is how long containerd may take to listen.
	patience = time.Minute
)

// importImages waits until containerd serves, and gives it the images of
// archives, ready to make containers of.
func importImages(ctx context.Context, socket string, files []string) (err error) {
	c, err := client.New(socket, client.WithDefaultNamespace(namespace), client.WithTimeout(patience))
	if err != nil {
		return fmt.Errorf("connecting to containerd at %s: %w", socket, err)
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if serves, err := c.IsServing(ctx); err != nil || !serves {
		return fmt.Errorf("waiting %v for containerd at %s: %w", patience, socket, errors.Join(errors.New("it doesn't serve"), err))
	}
	for _, file := range files {
		if err := importFile(ctx, c, file); err != nil {
			return fmt.Errorf("importing %s: %w", file, err)
		}
	}
	return nil
}

func importFile(ctx context.Context, c *client.Client, file string) error {
	archive, err := os.Open(file)
	if err != nil {
		return err
	}
	defer archive.Close()
	images, err := c.Import(ctx, archive)
	if err != nil {
		return err
	}
	if len(images) == 0 {
		return errors.New("no image is in it")
	}
	for _, image := range images {
		if err := client.NewImage(c, image).Unpack(ctx, ""); err != nil {
			return fmt.Errorf("unpacking %s: %w", image.Name, err)
		}
	}
	return nil
}
