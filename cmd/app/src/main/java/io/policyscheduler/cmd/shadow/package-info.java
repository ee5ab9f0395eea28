/** The command {@code shadow} and its report. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.shadow;
