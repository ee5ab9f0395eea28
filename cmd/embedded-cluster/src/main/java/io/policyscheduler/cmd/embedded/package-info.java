/**
 * A Kubernetes API server in memory, on a loopback port, with a minimal kubelet and fault injection; {@link EmbeddedControlPlane}
 * is its entry point.
 */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.embedded;
