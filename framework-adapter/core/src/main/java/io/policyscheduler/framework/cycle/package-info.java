/** One scheduling cycle: filter, score, choose, and preemption's what-if. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.framework.cycle;
