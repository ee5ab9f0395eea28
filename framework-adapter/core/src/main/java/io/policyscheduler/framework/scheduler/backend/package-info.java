/** The scheduling queue: which pod is tried next, and which ones wait for what. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.framework.scheduler.queue;
