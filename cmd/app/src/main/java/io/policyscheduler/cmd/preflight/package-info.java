/** The command {@code preflight}, which checks a cluster and its policy before an upgrade. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.preflight;
