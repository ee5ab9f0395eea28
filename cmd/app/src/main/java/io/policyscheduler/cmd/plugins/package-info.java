/** Plugins that come in jars of their own. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.plugins;
