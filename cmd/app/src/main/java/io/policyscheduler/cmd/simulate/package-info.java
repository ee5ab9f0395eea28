/** Simulates scheduling of the pending pods in a snapshot. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.simulate;
