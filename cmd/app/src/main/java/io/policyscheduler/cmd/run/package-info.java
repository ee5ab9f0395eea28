/** The command {@code run}, its settings from flags, environment variables, and files, and the triggers of reloads. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.run;
