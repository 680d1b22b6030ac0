// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package kubetest

// Programs beside the cluster run on the machine, with its view of files. They
// end with the cluster, and the ends of their logs are shown with its own.

// StartProgram starts one under a name.
func (c *Cluster) StartProgram(name string, args ...string) error {
	return c.control.Start(name, c.log(name), args...)
}

// StopProgram asks one to end, and waits until it has.
func (c *Cluster) StopProgram(name string) error { return c.control.Stop(name) }

// ProgramAlive returns an error if one has ended.
func (c *Cluster) ProgramAlive(name string) error { return c.control.Alive(name) }

// CAFile is the certificate that the servers of the cluster can be known by.
func (c *Cluster) CAFile() string { return c.ca.path("ca.crt") }
