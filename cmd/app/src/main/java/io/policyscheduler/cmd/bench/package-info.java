/** Measures the decisions of the scheduler per second, without an API server. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.bench;
