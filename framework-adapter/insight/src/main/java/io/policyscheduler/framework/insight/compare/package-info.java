/** Runs several schedulers on one cluster and reports how and why they differ. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.framework.insight.compare;
