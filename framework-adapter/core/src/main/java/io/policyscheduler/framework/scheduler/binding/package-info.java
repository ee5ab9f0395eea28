/** The binding cycle, from a selected node to a bound pod, and the requeue of pods after a failure. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.framework.scheduler.binding;
