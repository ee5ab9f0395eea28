/** Algorithms that predicates, priorities, and plugins share, with the differences between releases as parameters. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.engine.placement;
