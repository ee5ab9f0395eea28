/** The predicates of v1.17 about volumes, and who binds what they have let pass. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.predicates.volume;
