/** The command {@code migrate} and its report. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.migrate;
