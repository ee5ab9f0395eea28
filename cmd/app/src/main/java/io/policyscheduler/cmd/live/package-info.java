/** The scheduler at work in a cluster: what it watches, decides by and writes; put together in {@link LiveScheduler}. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.live;
