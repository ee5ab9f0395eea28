/** Controllers of Deployments, ReplicaSets, StatefulSets and DaemonSets. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.embedded.controller.workload;
