/** The predicates of v1.17, which filter nodes. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.predicates;
