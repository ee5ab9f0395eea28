/** Nodes that wait for pods which their kubelets have refused. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.framework.scheduler.refusal;
