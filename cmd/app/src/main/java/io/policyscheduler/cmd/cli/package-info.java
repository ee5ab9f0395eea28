/** The main class, the help, and the conversion of exceptions to messages and exit codes. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.cli;
