// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package kubetest

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

// identity is somebody whom the API server knows by a token.
type identity struct{ name, user, group string }

func (c *Cluster) identities() []identity {
	return []identity{
		{"admin", "admin", "system:masters"},
		{"kubelet", "system:node:" + c.NodeName, "system:nodes"},
		{"controllers", "system:kube-controller-manager", "system:masters"},
		{"scheduler", "system:kube-scheduler", ""},
	}
}

// writeIdentities makes the keys of the cluster, a token and a kubeconfig for
// each identity, and the client of an administrator.
func (c *Cluster) writeIdentities() error {
	ca, err := newAuthority(c.path("pki"))
	if err != nil {
		return err
	}
	c.ca = ca
	err = errors.Join(
		ca.issueKey("service-accounts"),
		ca.issue("apiserver", "kube-apiserver", nil, "127.0.0.1", "localhost", "kubernetes.default.svc", c.NodeIP),
		ca.issue("apiserver-kubelet-client", "apiserver", []string{"system:masters"}),
		ca.issue("kubelet", "system:node:"+c.NodeName, nil, c.NodeIP, c.NodeName),
	)
	if err != nil {
		return err
	}
	var tokens strings.Builder
	for _, id := range c.identities() {
		token := "token-of-" + id.name
		fmt.Fprintf(&tokens, "%s,%s,%s,%q\n", token, id.user, id.name, id.group)
		if err := c.writeKubeconfig(c.kubeconfig(id.name), token); err != nil {
			return err
		}
	}
	if err := os.WriteFile(ca.path("tokens.csv"), []byte(tokens.String()), 0o600); err != nil {
		return err
	}
	c.Kubeconfig = c.kubeconfig("admin")
	if c.Config, err = clientcmd.BuildConfigFromFlags("", c.Kubeconfig); err != nil {
		return err
	}
	c.Config.QPS = -1 // a test isn't slowed down by itself
	c.Client, err = kubernetes.NewForConfig(c.Config)
	return err
}

func (c *Cluster) kubeconfig(name string) string { return c.path(name + ".kubeconfig") }

// apiServerURL is where the API server is: for the machine, and for pods on its
// network.
func (c *Cluster) apiServerURL() string {
	return fmt.Sprintf("https://127.0.0.1:%d", c.ports.apiServer)
}

func (c *Cluster) writeKubeconfig(path, token string) error {
	config := api.NewConfig()
	config.Clusters["kubetest"] = &api.Cluster{Server: c.apiServerURL(), CertificateAuthority: c.ca.path("ca.crt")}
	config.AuthInfos["user"] = &api.AuthInfo{Token: token}
	config.Contexts["kubetest"] = &api.Context{Cluster: "kubetest", AuthInfo: "user"}
	config.CurrentContext = "kubetest"
	return clientcmd.WriteToFile(*config, path)
}
