// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package image

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// FromDockerfile returns the image that a Dockerfile makes of a folder, on an
// empty base: no engine and no registry is here. It knows the instructions of
// an image that only has files put into it, and refuses all others.
func FromDockerfile(file, folder string, args map[string]string) (*Image, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	b := builder{folder: folder, args: args}
	b.tar = tar.NewWriter(&b.layer)
	for i, line := range strings.Split(string(text), "\n") {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		instruction, rest, _ := strings.Cut(line, " ")
		if err := b.instruction(instruction, b.expand(strings.TrimSpace(rest))); err != nil {
			return nil, fmt.Errorf("%s:%d: %s: %w", file, i+1, instruction, err)
		}
	}
	if err := b.tar.Close(); err != nil {
		return nil, err
	}
	return assemble(b.config, b.layer.Bytes())
}

// builder is an image that is being made.
type builder struct {
	folder string
	args   map[string]string
	config execConfig
	layer  bytes.Buffer
	tar    *tar.Writer
}

func (b *builder) expand(text string) string {
	return os.Expand(text, func(name string) string { return b.args[name] })
}

func (b *builder) instruction(name, rest string) error {
	switch name {
	case "FROM", "LABEL":
		return nil
	case "ARG":
		name, value, _ := strings.Cut(rest, "=")
		if _, given := b.args[name]; !given {
			b.args[name] = value
		}
		return nil
	case "USER":
		b.config.User = rest
		return nil
	case "ENTRYPOINT":
		return json.Unmarshal([]byte(rest), &b.config.Entrypoint)
	case "CMD":
		return json.Unmarshal([]byte(rest), &b.config.Cmd)
	case "COPY":
		return b.copy(strings.Fields(rest))
	default:
		return fmt.Errorf("it isn't known here: %s", rest)
	}
}

// copy takes --chmod, sources, and a target, which is a folder if it ends so.
func (b *builder) copy(words []string) error {
	mode := int64(0)
	for len(words) > 0 && strings.HasPrefix(words[0], "--") {
		text, found := strings.CutPrefix(words[0], "--chmod=")
		if !found {
			return fmt.Errorf("%s isn't known here", words[0])
		}
		var err error
		if mode, err = strconv.ParseInt(text, 8, 64); err != nil {
			return err
		}
		words = words[1:]
	}
	if mode == 0 || len(words) < 2 {
		return fmt.Errorf("it needs --chmod, a source and a target: %v", words)
	}
	target := words[len(words)-1]
	for _, source := range words[:len(words)-1] {
		content, err := os.ReadFile(filepath.Join(b.folder, source))
		if err != nil {
			return err
		}
		name := target
		if strings.HasSuffix(target, "/") {
			name = path.Join(target, path.Base(source))
		}
		if err := writeFile(b.tar, strings.TrimPrefix(name, "/"), mode, content); err != nil {
			return err
		}
	}
	return nil
}
