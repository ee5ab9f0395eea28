/** Requests to a Kubernetes API server, their answers, and which APIs it has. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.kube.connection;
