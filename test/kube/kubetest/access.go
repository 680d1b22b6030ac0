// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package kubetest

import (
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// KubeconfigFor makes a service account that may do what rules say and nothing
// else, and returns the file of its kubeconfig.
func (c *Cluster) KubeconfigFor(t testing.TB, namespace string, rules ...rbacv1.PolicyRule) string {
	t.Helper()
	ctx, create := t.Context(), metav1.CreateOptions{}
	account, err := c.Client.CoreV1().ServiceAccounts(namespace).Create(ctx,
		&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{GenerateName: "account-"}}, create)
	if err != nil {
		t.Fatalf("making a service account: %v", err)
	}
	named := metav1.ObjectMeta{Name: namespace + "-" + account.Name}
	if _, err := c.Client.RbacV1().ClusterRoles().Create(ctx, &rbacv1.ClusterRole{ObjectMeta: named, Rules: rules}, create); err != nil {
		t.Fatalf("making a role: %v", err)
	}
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: named,
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: namespace, Name: account.Name}},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: named.Name},
	}
	if _, err := c.Client.RbacV1().ClusterRoleBindings().Create(ctx, binding, create); err != nil {
		t.Fatalf("binding a role: %v", err)
	}
	token, err := c.Client.CoreV1().ServiceAccounts(namespace).CreateToken(ctx, account.Name, &authenticationv1.TokenRequest{}, create)
	if err != nil {
		t.Fatalf("asking for a token of %s: %v", account.Name, err)
	}
	path := c.kubeconfig(named.Name)
	if err := c.writeKubeconfig(path, token.Status.Token); err != nil {
		t.Fatalf("writing %s: %v", path, err)
	}
	return path
}
