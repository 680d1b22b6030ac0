// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"fmt"
	"net"
	"os"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// How to authenticate.
const (
	AuthServiceAccount = "serviceAccount"
	AuthKubeConfig     = "kubeConfig"
	AuthNone           = "none"
)

// Config says how to reach the API server.
type Config struct {
	AuthType string
	Context  string // of the kubeconfig
	QPS      float32
	Burst    int
}

// New returns a client. It doesn't connect yet.
func New(cfg Config) (kubernetes.Interface, error) {
	how, err := connection(cfg)
	if err != nil {
		return nil, err
	}
	how.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	how.ContentType = "application/vnd.kubernetes.protobuf"
	return kubernetes.NewForConfig(how)
}

func connection(cfg Config) (*rest.Config, error) {
	how, err := restConfig(cfg)
	if err != nil {
		return nil, fmt.Errorf("auth_type %q: %w", cfg.AuthType, err)
	}
	how.QPS, how.Burst = cfg.QPS, cfg.Burst
	return how, nil
}

func restConfig(cfg Config) (*rest.Config, error) {
	switch cfg.AuthType {
	case AuthServiceAccount:
		return rest.InClusterConfig()
	case AuthKubeConfig:
		overrides := &clientcmd.ConfigOverrides{CurrentContext: cfg.Context}
		rules := clientcmd.NewDefaultClientConfigLoadingRules()
		return clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, overrides).ClientConfig()
	case AuthNone:
		host, port := os.Getenv("KUBERNETES_SERVICE_HOST"), os.Getenv("KUBERNETES_SERVICE_PORT")
		if host == "" || port == "" {
			return nil, fmt.Errorf("KUBERNETES_SERVICE_HOST is %q and KUBERNETES_SERVICE_PORT %q: set both", host, port)
		}
		return &rest.Config{Host: "https://" + net.JoinHostPort(host, port), TLSClientConfig: rest.TLSClientConfig{Insecure: true}}, nil
	}
	return nil, fmt.Errorf("set %s, %s or %s", AuthServiceAccount, AuthKubeConfig, AuthNone)
}
