/** Changes a copy of a cluster, to see what would come of it. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.framework.insight.whatif;
