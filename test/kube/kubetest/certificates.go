// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package kubetest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// authority issues the certificates of a cluster into a folder. Its keys are
// of elliptic curves: they take no time to make.
type authority struct {
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func (a *authority) path(name string) string { return filepath.Join(a.dir, name) }

func newAuthority(dir string) (*authority, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	a := &authority{dir: dir, key: key, cert: &x509.Certificate{
		Subject: pkix.Name{CommonName: "kubetest"}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}}
	return a, a.write("ca", a.cert, key)
}

// issue writes NAME.crt and NAME.key for a server on addresses, or for a
// client that is a member of groups.
func (a *authority) issue(name, commonName string, groups []string, addresses ...string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	cert := &x509.Certificate{
		Subject:     pkix.Name{CommonName: commonName, Organization: groups},
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	for _, address := range addresses {
		if ip := net.ParseIP(address); ip != nil {
			cert.IPAddresses = append(cert.IPAddresses, ip)
		} else {
			cert.DNSNames = append(cert.DNSNames, address)
		}
	}
	return a.write(name, cert, key)
}

func (a *authority) write(name string, cert *x509.Certificate, key *ecdsa.PrivateKey) error {
	serial, err := rand.Int(rand.Reader, big.NewInt(1<<62))
	if err != nil {
		return err
	}
	cert.SerialNumber = serial
	cert.NotBefore, cert.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(24*time.Hour)
	signed, err := x509.CreateCertificate(rand.Reader, cert, a.cert, &key.PublicKey, a.key)
	if err != nil {
		return fmt.Errorf("issuing the certificate of %s: %w", name, err)
	}
	if cert.IsCA {
		if a.cert, err = x509.ParseCertificate(signed); err != nil {
			return err
		}
	}
	if err := a.writePEM(name+".crt", "CERTIFICATE", signed); err != nil {
		return err
	}
	return a.writeKey(name, key)
}

func (a *authority) writeKey(name string, key *ecdsa.PrivateKey) error {
	encoded, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return err
	}
	return a.writePEM(name+".key", "EC PRIVATE KEY", encoded)
}

// issueKey writes NAME.key, to sign tokens with.
func (a *authority) issueKey(name string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	return a.writeKey(name, key)
}

func (a *authority) writePEM(file, kind string, content []byte) error {
	return os.WriteFile(a.path(file), pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: content}), 0o600)
}
