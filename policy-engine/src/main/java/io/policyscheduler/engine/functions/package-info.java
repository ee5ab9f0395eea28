/** Predicates and priorities as plain functions: the reference implementation for comparisons. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.engine.functions;
