/** Recordings of {@code run}, and their replay on a virtual clock. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.recording;
