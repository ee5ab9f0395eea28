/** What every talk with a Kubernetes API server needs: its failures, and how to wait until it is back. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.kube;
