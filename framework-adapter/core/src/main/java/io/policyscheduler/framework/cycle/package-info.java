/** One scheduling cycle: PreFilter, Filter, Score, the selection of a node, and preemption trials. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.framework.cycle;
