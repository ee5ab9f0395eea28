/** Where the settings of a running scheduler come from: flags, environment, file, defaults. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.settings;
