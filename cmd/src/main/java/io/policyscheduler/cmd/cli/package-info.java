/** The main class: it knows all commands, and turns what they throw into one line and an exit code. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.cli;
