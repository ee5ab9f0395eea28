/** The command {@code validate} and its report. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.validate;
