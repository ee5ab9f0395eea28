/** The command {@code lab}: runs of recorded or written traces on a virtual clock. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.lab;
