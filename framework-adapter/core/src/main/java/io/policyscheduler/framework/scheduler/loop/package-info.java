/** The scheduling thread: applies each event to the cache and the queue, and starts attempts. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.framework.scheduler.loop;
