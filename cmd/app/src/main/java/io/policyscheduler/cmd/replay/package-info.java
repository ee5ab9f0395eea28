/** Replays recorded decisions of the real scheduler and compares. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.replay;
