// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestClientCertificate: a kubeconfig may name one, in place of a token.
func TestClientCertificate(t *testing.T) {
	web := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(corev1.Namespace{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"}, ObjectMeta: metav1.ObjectMeta{Name: "ns"}})
	}))
	web.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert, MinVersion: tls.VersionTLS12}
	web.StartTLS()
	defer web.Close()
	folder := t.TempDir()
	write := func(name, kind string, data []byte) {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: data}), 0o600))
	}
	write("cert", "CERTIFICATE", web.Certificate().Raw) // any will do
	key, err := x509.MarshalPKCS8PrivateKey(web.TLS.Certificates[0].PrivateKey)
	require.NoError(t, err)
	write("key", "PRIVATE KEY", key)
	t.Setenv("KUBECONFIG", filepath.Join(folder, "config"))
	for user, ok := range map[string]bool{`{"client-certificate": "cert", "client-key": "key"}`: true, `{"token": "x"}`: false} {
		text := `{"apiVersion": "v1", "kind": "Config", "current-context": "c",
			"clusters": [{"name": "c", "cluster": {"server": "` + web.URL + `", "certificate-authority": "cert"}}],
			"users": [{"name": "u", "user": ` + user + `}], "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}]}`
		require.NoError(t, os.WriteFile(filepath.Join(folder, "config"), []byte(text), 0o600))
		client, err := New(Config{AuthType: AuthKubeConfig, QPS: 5, Burst: 5})
		require.NoError(t, err)
		_, err = client.CoreV1().Namespaces().Get(t.Context(), "ns", metav1.GetOptions{})
		require.Equal(t, ok, err == nil, "%s: %v", user, err)
	}
}
