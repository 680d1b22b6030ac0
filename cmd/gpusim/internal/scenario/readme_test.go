// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func readme(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "scenarios", "README.md"))
	require.NoError(t, err)
	return string(text)
}

// TestReadme looks for every key, with its default and its words.
func TestReadme(t *testing.T) {
	undocumented := undocumentedIn(readme(t))
	assert.Empty(t, undocumented)
	assert.Contains(t, undocumentedIn(strings.ReplaceAll(readme(t), "while_active", "")), "while_active in metricSpec")
	assert.Contains(t, undocumentedIn(strings.ReplaceAll(readme(t), "(10s)", "")), "backoff in restartSpec: its default 10s")
}

func undocumentedIn(text string) (keys []string) {
	paragraphs := strings.FieldsFunc(strings.ReplaceAll(text, "\n\n", "\x00"), func(r rune) bool { return r == 0 })
	var parts []string // paragraphs, and the lines of tables
	for _, p := range paragraphs {
		if strings.HasPrefix(p, "|") {
			parts = append(parts, strings.Split(p, "\n")...)
		} else {
			parts = append(parts, p)
		}
	}
	said := func(words ...string) bool {
		return slices.ContainsFunc(parts, func(p string) bool {
			return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(p, w) })
		})
	}
	eachField(reflect.TypeFor[spec](), map[reflect.Type]bool{}, func(of reflect.Type, f reflect.StructField) {
		key := f.Tag.Get("key")
		quoted, what := "`"+key, key+" in "+of.Name()
		if !said(quoted+"`") && !said(quoted+": ") {
			keys = append(keys, what)
		}
		if value, ok := f.Tag.Lookup("else"); ok && !said(quoted, value) {
			keys = append(keys, what+": its default "+value)
		}
		for _, word := range wordsOf(f.Tag) {
			if !said(quoted, "`"+word+"`") {
				keys = append(keys, what+": "+word)
			}
		}
	})
	return keys
}

// eachField visits all fields with a key of a type, and of the types in it.
func eachField(of reflect.Type, seen map[reflect.Type]bool, visit func(reflect.Type, reflect.StructField)) {
	for of.Kind() == reflect.Slice || of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	if of.Kind() != reflect.Struct || of == timeType || seen[of] {
		return
	}
	seen[of] = true
	for f := range of.Fields() {
		if f.Tag.Get("key") != "-" {
			visit(of, f)
		}
		eachField(f.Type, seen, visit)
	}
}

// TestReadmeExample loads the example.
func TestReadmeExample(t *testing.T) {
	_, rest, ok := strings.Cut(readme(t), "```text\n")
	require.True(t, ok)
	example, _, ok := strings.Cut(rest, "```")
	require.True(t, ok)
	s, err := Parse("README.md", []byte(example))
	require.NoError(t, err)
	assert.Empty(t, sane(s.World()))
}
