/** The kubelets of all nodes. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.embedded.kubelet;
