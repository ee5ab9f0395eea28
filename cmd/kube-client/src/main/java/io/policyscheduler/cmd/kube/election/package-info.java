/** Leader election by a Lease, by Endpoints or a ConfigMap with the record of a leader, or by two of them. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.kube.election;
