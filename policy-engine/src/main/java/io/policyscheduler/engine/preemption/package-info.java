/** Which pods would have to go so that a pod fits, and from which node. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.engine.preemption;
