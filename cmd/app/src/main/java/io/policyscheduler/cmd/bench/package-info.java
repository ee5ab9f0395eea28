/** The command {@code bench}: measures decisions per second without an API server, and the start and the throughput with one. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.bench;
