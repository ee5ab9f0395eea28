/** Output of the commands: tables, JSON, YAML, progress, and reports in HTML and Markdown. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.report;
