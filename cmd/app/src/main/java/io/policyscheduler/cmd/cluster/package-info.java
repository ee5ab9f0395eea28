/** The commands {@code cluster} and {@code demo}, which start the embedded cluster, and {@code dump}, which saves a cluster to a file. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.cluster;
