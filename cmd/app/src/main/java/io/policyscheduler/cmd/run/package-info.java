/** The command {@code run}, the settings that it and {@code config} take, and what makes it read its files again. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.run;
