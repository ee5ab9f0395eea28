/** The loop that takes pods from the queue, decides and binds them. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.framework.scheduler;
