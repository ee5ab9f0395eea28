/** Extenders: outside helpers that filter, score, preempt or bind for the scheduler. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.framework.extender;
