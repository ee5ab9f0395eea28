/** Amounts of resources: quantities, exact sums of them, and vectors by name. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.engine.cluster.resource;
