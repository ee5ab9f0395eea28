/** Algorithms that predicates, priorities, and plugins share; what differs between releases is a parameter. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.engine.placement;
