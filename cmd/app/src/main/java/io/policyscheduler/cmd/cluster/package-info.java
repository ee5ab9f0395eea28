/** The commands {@code cluster} and {@code demo}, which start the embedded cluster. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.cluster;
