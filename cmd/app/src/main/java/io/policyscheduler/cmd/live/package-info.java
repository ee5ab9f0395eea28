/** A running scheduler in a cluster: its watches, profiles, and writes, assembled in {@link LiveScheduler}. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.live;
