/** The rule language: custom predicates and priorities as expressions, which are checked before they run. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.engine.rules;
