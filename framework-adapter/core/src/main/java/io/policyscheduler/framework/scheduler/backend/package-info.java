/**
 * The state of the scheduler: the scheduling queue with the pods that wait, and the cache of the pods that count on nodes. Mirrors {@code
 * pkg/scheduler/backend}, whose packages are queue and cache.
 */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.framework.scheduler.backend;
