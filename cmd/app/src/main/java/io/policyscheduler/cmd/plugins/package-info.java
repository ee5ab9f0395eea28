/** The registered algorithms, and plugins from jar files. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.plugins;
