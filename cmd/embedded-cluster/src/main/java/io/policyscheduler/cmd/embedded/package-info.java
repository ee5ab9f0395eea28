/** A Kubernetes API server in memory, served over loopback HTTP, with a minimal kubelet and fault injection; {@link EmbeddedControlPlane} is its face. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.embedded;
