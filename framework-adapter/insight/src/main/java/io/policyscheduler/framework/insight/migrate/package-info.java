/** Converts a legacy Policy to a KubeSchedulerConfiguration and reports what is lost. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.framework.insight.migrate;
