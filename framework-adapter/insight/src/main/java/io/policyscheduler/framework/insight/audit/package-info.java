/** Finds running pods that would not be placed where they are. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.framework.insight.audit;
