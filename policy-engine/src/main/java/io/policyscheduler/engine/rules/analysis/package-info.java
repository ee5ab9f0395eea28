/** Analyses of valid rules: lint findings, and explanations in plain English. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.engine.rules.analysis;
