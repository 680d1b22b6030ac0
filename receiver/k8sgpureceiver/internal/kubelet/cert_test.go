// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package kubelet

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestClientCertificate: a kubelet may want one, in place of a token.
func TestClientCertificate(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(r.TLS.PeerCertificates) == 0 || r.Header.Get("Authorization") != "" {
			w.WriteHeader(http.StatusUnauthorized)
		}
		_, _ = w.Write([]byte(`{"items": []}`))
	}))
	server.TLS = &tls.Config{MinVersion: tls.VersionTLS12, ClientAuth: tls.RequestClientCert}
	server.StartTLS()
	defer server.Close()
	cfg := HTTPSConfig{CertFile: filepath.Join(t.TempDir(), "c"), KeyFile: filepath.Join(t.TempDir(), "k"), InsecureSkipVerify: true}
	h := newHTTPS(t, server, cfg)
	_, err := h.Fetch(t.Context())
	require.ErrorContains(t, err, "our certificate for the kubelet")

	pair := server.TLS.Certificates[0] // any will do
	key, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	require.NoError(t, err)
	write := func(file, kind string, data []byte) {
		require.NoError(t, os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: data}), 0o600))
	}
	write(cfg.CertFile, "CERTIFICATE", pair.Certificate[0])
	write(cfg.KeyFile, "PRIVATE KEY", key)
	_, err = h.Fetch(t.Context())
	require.NoError(t, err, "read at each connection")
	_, err = newHTTPS(t, server, HTTPSConfig{InsecureSkipVerify: true}).Fetch(t.Context())
	require.Equal(t, Denied, ReasonOf(err))
}
