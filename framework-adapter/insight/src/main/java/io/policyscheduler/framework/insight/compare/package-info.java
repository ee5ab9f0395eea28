/** Sets several ways of deciding to work on one cluster and tells how and why they differ. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.framework.insight.compare;
