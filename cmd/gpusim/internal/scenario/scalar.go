// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

var (
	timeType     = reflect.TypeFor[time.Time]()
	durationType = reflect.TypeFor[time.Duration]()
	bytesType    = reflect.TypeFor[Bytes]()
)

// patterns of words, with what they are called in an error.
var patterns = map[string]struct {
	words string
	match *regexp.Regexp
}{
	"name":    {"a-z, 0-9, - and ., at most 63, as chat-0", regexp.MustCompile(`^[a-z0-9]([-a-z0-9.]{0,61}[a-z0-9])?$`)},
	"kind":    {"a kind of Kubernetes, as Deployment", regexp.MustCompile(`^[A-Z][A-Za-z0-9]{0,62}$`)},
	"metric":  {"the name of a metric, as vllm:generation_tokens_total", regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_:.]{0,199}$`)},
	"profile": {"a MIG profile, as 3g.40gb", regexp.MustCompile(`^[1-9][0-9]?g\.[0-9]{1,4}gb$`)},
}

// milestoneWords are the milestones that a start or an end can have.
var milestoneWords = []string{
	string(gpu.Created), string(gpu.Scheduled), string(gpu.Admitted), string(gpu.SandboxReady),
	string(gpu.PullStarted), string(gpu.PullFinished), string(gpu.InitStarted), string(gpu.InitFinished),
	string(gpu.BackoffStarted), string(gpu.ContainerStarted), string(gpu.FirstCUDA), string(gpu.Ready),
	string(gpu.DeletionRequested), string(gpu.ContainersFinished),
}

func wordsOf(rules reflect.StructTag) []string {
	switch of := rules.Get("of"); of {
	case "":
		return nil
	case "milestone":
		return milestoneWords
	default:
		return strings.Split(of, "|")
	}
}

// wanted says what a key accepts.
func wanted(of reflect.Type, rules reflect.StructTag) string {
	words, like := wordsOf(rules), patterns[rules.Get("like")].words
	least, most, bounded := strings.Cut(rules.Get("in"), "..")
	switch {
	case of.Kind() == reflect.Pointer:
		return wanted(of.Elem(), rules)
	case of.Kind() == reflect.Slice:
		return "a list"
	case words != nil:
		return "one of " + strings.Join(words, ", ")
	case like != "":
		return like
	case of == timeType:
		return StartWanted
	case of.Kind() == reflect.Struct:
		return "a mapping of " + strings.Join(keysOf(of), ", ")
	case of.Kind() == reflect.Bool:
		return "true or false"
	case bounded && of == durationType:
		return "a time of " + least + " to " + most
	case bounded:
		return least + " to " + most
	default:
		return "a text"
	}
}

func decodeScalar(n *yaml.Node, v reflect.Value, p place) error {
	if parseScalar(n.Value, v) != nil || !accepted(v, p.rules) {
		return p.wrong(n, wanted(v.Type(), p.rules))
	}
	return nil
}

// parseScalar sets v to the value that text says.
func parseScalar(text string, v reflect.Value) error {
	switch v.Type() {
	case timeType:
		t, err := time.Parse(time.RFC3339Nano, text)
		v.Set(reflect.ValueOf(t))
		return err
	case durationType:
		d, err := time.ParseDuration(text)
		v.SetInt(int64(d))
		return err
	case bytesType:
		b, err := parseBytes(text)
		v.SetUint(uint64(b))
		return err
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
		return nil
	case reflect.Bool:
		v.SetBool(text == "true")
		if text != "true" && text != "false" {
			return errors.New("not a bool")
		}
		return nil
	default:
		i, err := strconv.ParseInt(text, 10, 64)
		v.SetInt(i)
		return err
	}
}

// accepted reports whether a value keeps the rules of its field.
func accepted(v reflect.Value, rules reflect.StructTag) bool {
	if t, ok := reflect.TypeAssert[time.Time](v); ok {
		return CanStart(t)
	}
	if v.Kind() == reflect.String {
		words, like := wordsOf(rules), patterns[rules.Get("like")].match
		return (words == nil || slices.Contains(words, v.String())) && (like == nil || like.MatchString(v.String()))
	}
	least, most, bounded := strings.Cut(rules.Get("in"), "..")
	return !bounded || !less(v, bound(least, v)) && !less(bound(most, v), v)
}

func bound(text string, like reflect.Value) reflect.Value {
	v := reflect.New(like.Type()).Elem()
	if err := parseScalar(text, v); err != nil {
		panic(fmt.Sprintf("the bound %q in a tag: %v", text, err))
	}
	return v
}

func less(a, b reflect.Value) bool {
	if a.CanUint() {
		return a.Uint() < b.Uint()
	}
	return a.Int() < b.Int()
}
