/** Made clusters and the pods to decide in them, for measuring. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.workload;
