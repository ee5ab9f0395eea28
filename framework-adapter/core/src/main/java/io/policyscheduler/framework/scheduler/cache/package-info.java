/** The pod cache: which pods count on which node, including those not yet confirmed by the API server. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.framework.scheduler.cache;
