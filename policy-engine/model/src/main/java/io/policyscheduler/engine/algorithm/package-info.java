/** Predicates and priorities, and the registry of their implementations. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.engine.algorithm;
