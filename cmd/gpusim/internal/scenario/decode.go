// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxText is the longest scenario that is read, in bytes.
const maxText = 4 << 20

// maxDepth is how deep patterns can stand in patterns, each two levels.
const maxDepth = 40

// decode reads the text of a scenario into v, a pointer to a struct whose tags
// say what is accepted.
func decode(text []byte, v any) error {
	if len(text) > maxText {
		return mistake("the scenario", fmt.Sprintf("%d bytes long", len(text)), "at most %d", maxText)
	}
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), "yaml: ") + ": want YAML")
	}
	if len(document.Content) != 1 {
		return mistake("the scenario", "empty", "a mapping with at least name, description, duration and nodes")
	}
	return decodeValue(document.Content[0], reflect.ValueOf(v).Elem(), place{})
}

// place is where the decoder is: at a value of a field.
type place struct {
	path  string
	depth int
	rules reflect.StructTag
}

func (p place) wrong(n *yaml.Node, want string) error {
	path := p.path
	if path == "" {
		path = "the scenario"
	}
	return &Mistake{Line: n.Line, Path: path, Value: valueOf(n), Want: want}
}

func valueOf(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "an alias"
	default:
		return quote(n.Value)
	}
}

func quote(value string) string {
	const longest = 60
	if len(value) > longest {
		value = value[:longest] + "…"
	}
	return strconv.Quote(value)
}

func decodeValue(n *yaml.Node, v reflect.Value, p place) error {
	switch kind := v.Kind(); {
	case p.depth > maxDepth:
		return p.wrong(n, fmt.Sprintf("patterns in patterns at most %d deep", maxDepth/2))
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		return p.wrong(n, "no anchors and aliases")
	case kind == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return decodeValue(n, v.Elem(), p)
	case kind == reflect.Slice:
		return decodeList(n, v, p)
	case kind == reflect.Struct && v.Type() != timeType:
		return decodeStruct(n, v, p)
	case n.Kind != yaml.ScalarNode || n.Tag == "!!null":
		return p.wrong(n, wanted(v.Type(), p.rules))
	}
	return decodeScalar(n, v, p)
}

func decodeList(n *yaml.Node, v reflect.Value, p place) error {
	if n.Kind != yaml.SequenceNode {
		return p.wrong(n, "a list")
	}
	least, most, _ := strings.Cut(p.rules.Get("in"), "..")
	if count := len(n.Content); count < number(least) || count > number(most) {
		return &Mistake{
			Line: n.Line, Path: p.path, Value: fmt.Sprintf("a list of %d", count),
			Want: "one of " + least + " to " + most,
		}
	}
	v.Set(reflect.MakeSlice(v.Type(), len(n.Content), len(n.Content)))
	of := reflect.StructTag("")
	if words := p.rules.Get("of"); words != "" {
		of = reflect.StructTag(`of:"` + words + `"`)
	}
	for i, c := range n.Content {
		if err := decodeValue(c, v.Index(i), place{entry(p.path, i), p.depth + 1, of}); err != nil {
			return err
		}
	}
	return nil
}

func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		panic("a bound in a tag isn't a number: " + text)
	}
	return n
}

func decodeStruct(n *yaml.Node, v reflect.Value, p place) error {
	if n.Kind != yaml.MappingNode {
		return p.wrong(n, "a mapping of "+strings.Join(keysOf(v.Type()), ", "))
	}
	setDefaults(v)
	var seen []string
	for i := 0; i < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		at := place{path: strings.TrimPrefix(p.path+"."+key.Value, "."), depth: p.depth + 1}
		field, rules, ok := fieldOf(v, key.Value)
		switch {
		case !ok || key.Kind != yaml.ScalarNode:
			return at.unknown(key, v.Type())
		case slices.Contains(seen, key.Value):
			return at.wrong(key, "each key once")
		}
		seen = append(seen, key.Value)
		at.rules = rules
		if err := decodeValue(value, field, at); err != nil {
			return err
		}
	}
	return missing(n, v.Type(), seen, p)
}

func (p place) unknown(key *yaml.Node, of reflect.Type) error {
	want := "one of " + strings.Join(keysOf(of), ", ")
	return &Mistake{Line: key.Line, Path: p.path, Value: "not a key", Want: want}
}

func missing(n *yaml.Node, of reflect.Type, seen []string, p place) error {
	for f := range of.Fields() {
		key := f.Tag.Get("key")
		if f.Tag.Get("need") != "yes" || slices.Contains(seen, key) {
			continue
		}
		path := strings.TrimPrefix(p.path+"."+key, ".")
		return &Mistake{Line: n.Line, Path: path, Value: "missing", Want: wanted(f.Type, f.Tag)}
	}
	return nil
}
