/** The rule language: custom predicates and priorities written as one expression, checked before it is ever run. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.engine.rules;
