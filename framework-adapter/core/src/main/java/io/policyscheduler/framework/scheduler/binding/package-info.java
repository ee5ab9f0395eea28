/** From a chosen node to a bound pod, and back to the queue when that fails. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.framework.scheduler.binding;
