/** Measurements that tell whether a change has made something slower; nothing is asserted. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.benchmarks;
