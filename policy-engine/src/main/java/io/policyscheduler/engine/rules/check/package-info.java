/** From a syntax tree to a checked one: names, types, constants and what a rule may cost. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.engine.rules.check;
