/** Output of the commands: tables, JSON, YAML and progress. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.report;
