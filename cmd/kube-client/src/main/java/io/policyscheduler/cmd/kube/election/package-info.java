/** Leader election with a Lease, with Endpoints or a ConfigMap that contain the record, or with two of them. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.kube.election;
