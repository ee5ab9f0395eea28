/** The scheduler's few writes: bindings, conditions, evictions, events. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.kube.write;
