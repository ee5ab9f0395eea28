/** Explains why a pod is placed on its node, why not on others, and which changes would make it schedulable. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.framework.insight.explain;
