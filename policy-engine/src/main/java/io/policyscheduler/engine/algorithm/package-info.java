/** What a predicate and a priority are, and how programs find them. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.engine.algorithm;
