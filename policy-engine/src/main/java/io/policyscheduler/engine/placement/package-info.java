/** Algorithms that predicates, priorities, and plugins share, and preemption, with the differences between releases as parameters. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.engine.placement;
