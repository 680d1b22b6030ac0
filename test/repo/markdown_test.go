// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package repo

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// fence is a fenced block of a Markdown file.
type fence struct {
	line int    // of its opening, from 1
	info string // "yaml"
	text string
}

var fenceLine = regexp.MustCompile("^( *)(`{3,}|~{3,})[ \t]*(.*?)[ \t]*$")

// splitMarkdown separates the fenced blocks from the prose. In prose, the
// lines of the blocks are empty.
func splitMarkdown(text string) (prose []string, fences []fence) {
	var open *fence
	var indent, marker string
	var block []string
	for i, line := range strings.Split(text, "\n") {
		m := fenceLine.FindStringSubmatch(strings.TrimSuffix(line, "\r"))
		switch {
		case open == nil && m != nil:
			open = &fence{line: i + 1, info: m[3]}
			indent, marker, block = m[1], m[2], nil
			line = ""
		case open != nil && m != nil && m[3] == "" && strings.HasPrefix(m[2], marker):
			open.text = strings.Join(block, "\n") + "\n"
			fences = append(fences, *open)
			open = nil
			line = ""
		case open != nil:
			block = append(block, strings.TrimPrefix(line, indent))
			line = ""
		}
		prose = append(prose, line)
	}
	if open != nil { // Markdown ends a block at the end of the file.
		open.text = strings.Join(block, "\n") + "\n"
		fences = append(fences, *open)
	}
	return prose, fences
}

var (
	inlineCode = regexp.MustCompile("`[^`]*`")
	linkTarget = regexp.MustCompile(`\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)|^\s*\[[^\]]+\]:\s+(\S+)|(?:src|href|srcset)="([^"]+)"`)
)

// link is a target of a link or picture.
type link struct {
	line   int
	target string
}

func linksOf(text string) []link {
	var links []link
	prose, _ := splitMarkdown(text)
	for i, line := range prose {
		for _, m := range linkTarget.FindAllStringSubmatch(inlineCode.ReplaceAllString(line, ""), -1) {
			links = append(links, link{line: i + 1, target: m[1] + m[2] + m[3]})
		}
	}
	return links
}

var (
	heading  = regexp.MustCompile(`^#{1,6}\s+(.*?)\s*#*\s*$`)
	linkText = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	noAnchor = regexp.MustCompile(`[^\p{L}\p{N}_\- ]`)
)

// anchorsOf returns the anchors of a file's headings, as GitHub makes them.
func anchorsOf(text string) []string {
	var anchors []string
	prose, _ := splitMarkdown(text)
	for _, line := range prose {
		if m := heading.FindStringSubmatch(line); m != nil {
			name := strings.ToLower(linkText.ReplaceAllString(m[1], "$1"))
			anchors = append(anchors, strings.ReplaceAll(noAnchor.ReplaceAllString(name, ""), " ", "-"))
		}
	}
	return anchors
}

const page = "# The title\n" +
	"[a](docs/a.md) and ![b](<img/b.svg> \"title\") but not `[c](c.md)`\n" +
	"```yaml\n[d](d.md)\n```\n" +
	"1. a step:\n" +
	"   ````text\n   ```yaml\n   inner: 1\n   ```\n   ````\n" +
	"## What's in `distribution/`?\n" +
	"<img src=\"e.svg\"> [f]\n\n[f]: f.md#there\n" +
	"~~~yml extra\nlast: 1\n"

func TestSplitMarkdown(t *testing.T) {
	_, got := splitMarkdown(page)
	want := []fence{
		{3, "yaml", "[d](d.md)\n"},
		{7, "text", "```yaml\ninner: 1\n```\n"},
		{16, "yml extra", "last: 1\n\n"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("fences: got %+v\nwant %+v", got, want)
	}
	links := []link{{2, "docs/a.md"}, {2, "img/b.svg"}, {13, "e.svg"}, {15, "f.md#there"}}
	if got := linksOf(page); !slices.Equal(got, links) {
		t.Errorf("links: got %v\nwant %v", got, links)
	}
	anchors := []string{"the-title", "whats-in-distribution"}
	if got := anchorsOf(page); !slices.Equal(got, anchors) {
		t.Errorf("anchors: got %q, want %q", got, anchors)
	}
}
