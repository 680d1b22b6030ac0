// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package repo

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

// brokenLinks returns the relative links of a Markdown file in tree that lead
// nowhere: to no file, or to a heading that the file doesn't have.
func brokenLinks(tree fs.FS, name, text string) []string {
	var found []string
	for _, link := range linksOf(text) {
		if strings.Contains(link.target, "://") || strings.HasPrefix(link.target, "mailto:") {
			continue
		}
		file, anchor, _ := strings.Cut(link.target, "#")
		target, content := name, text
		if file != "" {
			target = path.Join(path.Dir(name), file)
			if _, err := fs.Stat(tree, target); err != nil {
				found = append(found, fmt.Sprintf("%s:%d: %s: no such file", name, link.line, link.target))
				continue
			}
		}
		if anchor == "" || !strings.HasSuffix(target, ".md") {
			continue
		}
		if file != "" {
			read, err := fs.ReadFile(tree, target)
			if err != nil {
				found = append(found, err.Error())
				continue
			}
			content = string(read)
		}
		if !slices.Contains(anchorsOf(content), anchor) {
			found = append(found, fmt.Sprintf("%s:%d: %s: no such heading", name, link.line, link.target))
		}
	}
	return found
}

func TestLinks(t *testing.T) {
	tree := os.DirFS(root(t))
	files, links := 0, 0
	walk(t, func(name string, text []byte) {
		files++
		links += len(linksOf(string(text)))
		for _, broken := range brokenLinks(tree, name, string(text)) {
			t.Error(broken)
		}
	}, ".md")
	if files == 0 || links == 0 {
		t.Errorf("%d files with %d links were looked at", files, links)
	}
}

// The control.
func TestLinksFindsBrokenOnes(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(path.Join(dir, "there.md"), []byte("# Title\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const text = "# Here\n[a](../there.md#title) [b](#here) [c](https://example.com/x)\n" +
		"[d](absent.md)\n[e](../there.md#subtitle)\n[f](#there)\n"
	got := brokenLinks(os.DirFS(dir), "docs/page.md", text)
	want := []string{
		"docs/page.md:3: absent.md: no such file",
		"docs/page.md:4: ../there.md#subtitle: no such heading",
		"docs/page.md:5: #there: no such heading",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}
