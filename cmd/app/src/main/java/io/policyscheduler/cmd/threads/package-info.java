/** Threads in which nothing dies silently. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.threads;
