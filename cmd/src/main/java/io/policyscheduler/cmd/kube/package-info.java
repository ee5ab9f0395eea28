/** The connection to a Kubernetes API server: authentication, discovery, list/watch, and the scheduler's few writes. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.kube;
