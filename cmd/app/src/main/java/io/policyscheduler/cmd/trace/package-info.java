/** Traces: folders of compressed JSON lines, one fact a line, written by {@code run} and {@code lab}, read by {@code why} and {@code lab}. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.trace;
