// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package image makes container images on the spot: one static program, and
// bytes that a pull takes time for.
package image

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
)

// The media types of OCI. Layers aren't compressed.
const (
	MediaTypeManifest = "application/vnd.oci.image.manifest.v1+json"
	mediaTypeIndex    = "application/vnd.oci.image.index.v1+json"
	mediaTypeConfig   = "application/vnd.oci.image.config.v1+json"
	mediaTypeLayer    = "application/vnd.oci.image.layer.v1.tar"
)

// Image is one image. Everything in it goes by its digest.
type Image struct {
	Manifest string // digest
	Blobs    map[string][]byte
}

// descriptor is how one blob names another.
type descriptor struct {
	MediaType   string            `json:"mediaType"`
	Digest      string            `json:"digest"`
	Size        int               `json:"size"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

// manifest is a manifest or an index.
type manifest struct {
	SchemaVersion int          `json:"schemaVersion"`
	MediaType     string       `json:"mediaType"`
	Config        *descriptor  `json:"config,omitempty"`
	Layers        []descriptor `json:"layers,omitempty"`
	Manifests     []descriptor `json:"manifests,omitempty"`
}

type config struct {
	Architecture string     `json:"architecture"`
	OS           string     `json:"os"`
	Config       execConfig `json:"config"`
	RootFS       rootFS     `json:"rootfs"`
}

type execConfig struct {
	Entrypoint []string `json:"Entrypoint"`
	Cmd        []string `json:"Cmd,omitempty"`
	User       string   `json:"User,omitempty"`
	Env        []string `json:"Env"`
}

type rootFS struct {
	Type    string   `json:"type"`
	DiffIDs []string `json:"diff_ids"`
}

// New returns an image whose entrypoint is a static program, and that is
// padding bytes larger than it would have to be.
func New(program []byte, entrypoint []string, padding int) (*Image, error) {
	layer, err := programLayer(program, entrypoint[0])
	if err != nil {
		return nil, err
	}
	layers := [][]byte{layer}
	if padding > 0 {
		if layer, err = paddingLayer(padding); err != nil {
			return nil, err
		}
		layers = append(layers, layer)
	}
	return assemble(execConfig{Entrypoint: entrypoint}, layers...)
}

// assemble returns the image of layers.
func assemble(run execConfig, layers ...[]byte) (*Image, error) {
	img := &Image{Blobs: map[string][]byte{}}
	run.Env = []string{"PATH=/"}
	cfg := config{Architecture: runtime.GOARCH, OS: "linux", Config: run, RootFS: rootFS{Type: "layers"}}
	m := manifest{SchemaVersion: 2, MediaType: MediaTypeManifest}
	for _, layer := range layers {
		d := img.add(mediaTypeLayer, layer)
		m.Layers = append(m.Layers, d)
		cfg.RootFS.DiffIDs = append(cfg.RootFS.DiffIDs, d.Digest)
	}
	d, err := img.addJSON(mediaTypeConfig, cfg)
	if err != nil {
		return nil, err
	}
	m.Config = &d
	d, err = img.addJSON(MediaTypeManifest, m)
	img.Manifest = d.Digest
	return img, err
}

func (i *Image) add(mediaType string, blob []byte) descriptor {
	sum := sha256.Sum256(blob)
	digest := "sha256:" + hex.EncodeToString(sum[:])
	i.Blobs[digest] = blob
	return descriptor{MediaType: mediaType, Digest: digest, Size: len(blob)}
}

func (i *Image) addJSON(mediaType string, value any) (descriptor, error) {
	blob, err := json.Marshal(value)
	if err != nil {
		return descriptor{}, err
	}
	return i.add(mediaType, blob), nil
}

func programLayer(program []byte, path string) ([]byte, error) {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: "tmp/", Mode: 0o1777}); err != nil {
		return nil, err
	}
	if err := writeFile(w, path[1:], 0o755, program); err != nil {
		return nil, err
	}
	err := w.Close() // it writes the end
	return out.Bytes(), err
}

// paddingLayer is the same on every run, and doesn't compress.
func paddingLayer(size int) ([]byte, error) {
	content := make([]byte, size)
	if _, err := rand.NewChaCha8([32]byte{}).Read(content); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	if err := writeFile(w, "padding", 0o644, content); err != nil {
		return nil, err
	}
	err := w.Close() // it writes the end
	return out.Bytes(), err
}

func writeFile(w *tar.Writer, name string, mode int64, content []byte) error {
	if err := w.WriteHeader(&tar.Header{Name: name, Mode: mode, Size: int64(len(content))}); err != nil {
		return err
	}
	_, err := w.Write(content)
	return err
}

// WriteArchive writes the image as the tar of an OCI layout, under a name.
func (i *Image) WriteArchive(out io.Writer, name string) error {
	index, err := json.Marshal(manifest{
		SchemaVersion: 2, MediaType: mediaTypeIndex,
		Manifests: []descriptor{{
			MediaType: MediaTypeManifest, Digest: i.Manifest, Size: len(i.Blobs[i.Manifest]),
			Annotations: map[string]string{"io.containerd.image.name": name},
		}},
	})
	if err != nil {
		return err
	}
	w := tar.NewWriter(out)
	files := map[string][]byte{"oci-layout": []byte(`{"imageLayoutVersion":"1.0.0"}`), "index.json": index}
	for digest, blob := range i.Blobs {
		files["blobs/sha256/"+digest[len("sha256:"):]] = blob
	}
	for name, content := range files {
		if err := writeFile(w, name, 0o644, content); err != nil {
			return fmt.Errorf("writing %s: %w", name, err)
		}
	}
	return w.Close()
}
