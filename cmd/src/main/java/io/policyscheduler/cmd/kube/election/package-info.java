/** Leader election by a Lease. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.kube.election;
