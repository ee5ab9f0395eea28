/** What the scheduler counts and measures, for Prometheus. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.metrics;
