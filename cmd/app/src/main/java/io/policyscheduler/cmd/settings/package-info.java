/** The settings of a scheduler and their sources: flags, environment variables, file, and defaults. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.settings;
