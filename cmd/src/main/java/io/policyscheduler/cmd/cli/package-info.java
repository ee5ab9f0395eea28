/** The command line. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.cli;
