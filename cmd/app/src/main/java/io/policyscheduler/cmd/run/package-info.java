/** The command {@code run}, the settings of {@code run} and {@code config}, and the triggers of reloads. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.run;
