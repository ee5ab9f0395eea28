/** Prometheus metrics of the scheduler. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.metrics;
