/** Turns a legacy Policy into a KubeSchedulerConfiguration and tells what that loses. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.framework.insight.migrate;
