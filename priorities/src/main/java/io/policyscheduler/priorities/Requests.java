package io.policyscheduler.priorities;

/**
 * What the scores of a pod rest on where nothing else of it counts.
 *
 * @param milliCpu milli-CPU
 * @param memory bytes
 */
record Requests(long milliCpu, long memory) {}
