/** Options that several commands share, exit codes, and user errors. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.options;
