/** Making room: how victims are chosen is decided elsewhere, here it is carried out; put together in {@link Preemptors}. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.live.preemption;
