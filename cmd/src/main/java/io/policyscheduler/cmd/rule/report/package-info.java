/** What the tools for rules print. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.rule.report;
