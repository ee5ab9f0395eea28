/** The v1.17 predicates: which nodes may take a pod. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.predicates;
