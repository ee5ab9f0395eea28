/**
 * The last decisions of a running scheduler, the decision log, traces, and the recordings of {@code run} with their
 * replay.
 */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.history;
