/** Preemption: the victims whose eviction makes a pod feasible, and the node that is selected. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.engine.preemption;
