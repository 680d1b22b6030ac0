// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package price

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// Bounds of a price file.
const (
	// MaxFileSize is the most bytes that a price file may have.
	MaxFileSize = 1 << 20

	maxEntries = 2000
	maxText    = 256  // bytes of a value
	maxGPUs    = 1024 // of a node
)

// Parse reads a price file; its keys are those of docs/prices.md. An error tells
// everything that is wrong, each with its line, key and value, and what is
// accepted.
func Parse(text []byte) (*Book, error) {
	if len(text) > MaxFileSize {
		return nil, fmt.Errorf("%d bytes: at most %d are accepted", len(text), MaxFileSize)
	}
	root, err := oneDocument(text)
	if err != nil {
		return nil, err
	}
	f := fileReader{book: Book{source: FromFile}}
	if f.file(root); f.errs != nil {
		return nil, errors.Join(f.errs...)
	}
	if err := ties(f.book.entries); err != nil {
		return nil, err
	}
	sum := sha256.Sum256(text)
	f.book.version = fmt.Sprintf("%s-%x", f.version, sum[:4])
	return &f.book, nil
}

// oneDocument returns the content of the only document of text.
func oneDocument(text []byte) (*yaml.Node, error) {
	var doc, second yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	switch err := decoder.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return nil, errors.New("the file is empty: set version and prices")
	case err != nil:
		return nil, fmt.Errorf("no YAML: %w", err)
	}
	if err := decoder.Decode(&second); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is more than one document: keep one, without ---")
	}
	return doc.Content[0], nil
}

// fileReader is one call of Parse.
type fileReader struct {
	book    Book
	version string
	vat     string // of the costs
	within  string // what is read: "" or "entry 3: "
	errs    []error
}

func (f *fileReader) refuse(line int, format string, args ...any) {
	const enough = 20
	if len(f.errs) < enough {
		f.errs = append(f.errs, fmt.Errorf("line %d: %s%s", line, f.within, fmt.Sprintf(format, args...)))
	}
}

func (f *fileReader) file(root *yaml.Node) {
	top, ok := f.keys(root, "version", "vat", "prices")
	if !ok {
		return
	}
	f.version = f.text(top, root.Line, "version", "what tells this file from others, as 2026-09-17", required)
	f.vat = f.word(top, root.Line, "vat", excluded, excluded, included)
	list := top["prices"]
	if list == nil || list.Kind != yaml.SequenceNode || len(list.Content) == 0 || len(list.Content) > maxEntries {
		f.refuse(lineOf(list, root.Line), "prices: set a list of 1 to %d entries", maxEntries)
		return
	}
	for i, n := range list.Content {
		f.entry(n, i+1)
	}
}

// keys returns the values of a mapping by key, which must be one of accepted.
func (f *fileReader) keys(n *yaml.Node, accepted ...string) (map[string]*yaml.Node, bool) {
	if n.Kind != yaml.MappingNode {
		f.refuse(n.Line, "this is no mapping: set keys of %q", accepted)
		return nil, false
	}
	known := map[string]bool{}
	for _, key := range accepted {
		known[key] = true
	}
	values := map[string]*yaml.Node{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		switch _, twice := values[key.Value]; {
		case !known[key.Value]:
			f.refuse(key.Line, "the key %s isn't known: set keys of %q", shown(key.Value), accepted)
		case twice:
			f.refuse(key.Line, "the key %q is there twice", key.Value)
		default:
			values[key.Value] = n.Content[i+1]
		}
	}
	return values, true
}

const required, optional = true, false

// text returns a scalar; it must not be empty. A key that isn't there is "".
func (f *fileReader) text(of map[string]*yaml.Node, line int, key, accepted string, must bool) string {
	n := of[key]
	switch {
	case n == nil && must:
		f.refuse(line, "%s is missing: set %s", key, accepted)
	case n == nil:
	case n.Kind != yaml.ScalarNode || n.Tag == "!!null" || n.Value == "":
		f.refuse(n.Line, "%s has no value: set %s", key, accepted)
	case len(n.Value) > maxText || !utf8.ValidString(n.Value):
		f.refuse(n.Line, "%s: %s is not accepted: set UTF-8 of at most %d bytes", key, shown(n.Value), maxText)
	default:
		return n.Value
	}
	return ""
}

// shown returns a value as it is told, which is bounded.
func shown(value string) string {
	if len(value) > maxText {
		value = value[:maxText] + "…"
	}
	return fmt.Sprintf("%q", value)
}

func lineOf(n *yaml.Node, otherwise int) int {
	if n == nil {
		return otherwise
	}
	return n.Line
}
