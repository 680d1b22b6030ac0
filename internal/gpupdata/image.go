// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import (
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// putImage puts what is known of a container's image.
func putImage(m pcommon.Map, i gpu.Image) {
	repository, tag, digest := i.Parts()
	put(m, AttrImageName, repository)
	if tag != "" {
		m.PutEmptySlice(AttrImageTags).AppendEmpty().SetStr(tag)
	}
	if digest != "" {
		m.PutEmptySlice(AttrImageDigests).AppendEmpty().SetStr(digest)
	}
	if i.Bytes > 0 {
		m.PutInt(AttrImageSize, i.Bytes)
	}
	if i.Told {
		m.PutBool(AttrImagePresent, i.Present)
	}
}

// ImageOf returns what the attributes of a milestone say of its container's
// image. Of several tags or digests, the first counts.
func ImageOf(m pcommon.Map) gpu.Image {
	i := gpu.Image{Reference: text(m, AttrImageName)}
	if tag := first(m, AttrImageTags); tag != "" && i.Reference != "" {
		i.Reference += ":" + tag
	}
	repository, _, _ := i.Parts()
	if digest := first(m, AttrImageDigests); len(digest) > len(repository) && digest[:len(repository)] == repository {
		i.Reference += digest[len(repository):]
	}
	if size, ok := m.Get(AttrImageSize); ok {
		i.Bytes = max(size.Int(), 0)
	}
	if present, ok := m.Get(AttrImagePresent); ok && present.Type() == pcommon.ValueTypeBool {
		i.Told, i.Present = true, present.Bool()
	}
	return i
}

// first returns the first text of a list, "" if there is none.
func first(m pcommon.Map, key string) string {
	v, ok := m.Get(key)
	if !ok || v.Type() != pcommon.ValueTypeSlice || v.Slice().Len() == 0 {
		return ""
	}
	return v.Slice().At(0).Str()
}
