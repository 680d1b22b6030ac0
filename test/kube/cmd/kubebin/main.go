// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Command kubebin is all of Kubernetes that the suite runs, in one binary:
// linked together, the programs share what would otherwise be linked five
// times. Its first argument says which one it is, the rest is that one's:
//
//	kubebin kubelet --config=...
package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/metrics/prometheus/clientgo" // the requests of a client, as in upstream's binaries
	_ "k8s.io/component-base/metrics/prometheus/version"  // kubernetes_build_info
	kubectl "k8s.io/kubectl/pkg/cmd"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	kubelet "k8s.io/kubernetes/cmd/kubelet/app"
)

var commands = map[string]func() *cobra.Command{
	"kube-apiserver":          apiserver.NewAPIServerCommand,
	"kube-controller-manager": controllermanager.NewControllerManagerCommand,
	"kube-scheduler":          func() *cobra.Command { return scheduler.NewSchedulerCommand() },
	"kubelet":                 func() *cobra.Command { return kubelet.NewKubeletCommand(context.Background()) },
	"kubectl":                 kubectl.NewDefaultKubectlCommand,
}

func main() {
	if len(os.Args) < 2 {
		usage("no program is named")
	}
	// What follows looks like a program of its own, to those that parse flags.
	os.Args = os.Args[1:]
	name := os.Args[0]
	if name == "etcd" {
		etcdmain.Main(os.Args)
		return
	}
	command, known := commands[name]
	if !known {
		usage(fmt.Sprintf("unknown program %q", name))
	}
	os.Exit(cli.Run(command()))
}

func usage(problem string) {
	names := append(slices.Sorted(maps.Keys(commands)), "etcd")
	fmt.Fprintf(os.Stderr, "%s; usage: kubebin %s [FLAG...]\n", problem, strings.Join(names, "|"))
	os.Exit(2)
}
