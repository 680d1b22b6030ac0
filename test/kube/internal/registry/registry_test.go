// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package registry

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/test/kube/internal/image"
)

func get(t *testing.T, url string) (int, []byte) {
	t.Helper()
	resp, err := http.Get(url)
	require.NoError(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, body
}

// An image can be read from its manifest on, and no faster than its rate.
func TestPull(t *testing.T) {
	r, err := Start()
	require.NoError(t, err)
	defer func() { require.NoError(t, r.Close()) }()
	img, err := image.New([]byte("program"), []string{"/app"}, 100_000)
	require.NoError(t, err)
	host, _, _ := strings.Cut(r.Add("slow", img, 500_000), "/")

	status, body := get(t, "http://"+host+"/v2/slow/manifests/latest")
	require.Equal(t, http.StatusOK, status)
	var m struct {
		Config struct{ Digest string }
		Layers []struct {
			Digest string
			Size   int
		}
	}
	require.NoError(t, json.Unmarshal(body, &m))
	require.Len(t, m.Layers, 2)
	status, body = get(t, "http://"+host+"/v2/slow/blobs/"+m.Config.Digest)
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, string(body), m.Layers[1].Digest)

	status, body = get(t, "http://"+host+"/v2/slow/blobs/"+m.Layers[1].Digest)
	require.Equal(t, http.StatusOK, status)
	require.Len(t, body, m.Layers[1].Size)
	// The client may have it before the registry has noted that.
	require.Eventually(t, func() bool { return len(r.Sent("slow")) == 2 }, time.Minute, time.Millisecond)
	last := r.Sent("slow")[1]
	require.Equal(t, m.Layers[1].Size, last.Bytes)
	require.GreaterOrEqual(t, last.End.Sub(last.Begin), 200*time.Millisecond, "100,000 bytes at 500,000 a second")

	status, _ = get(t, "http://"+host+"/v2/other/manifests/latest")
	require.Equal(t, http.StatusNotFound, status)
	status, _ = get(t, "http://"+host+"/v2/slow/blobs/sha256:none")
	require.Equal(t, http.StatusNotFound, status)
}
