/** The objects of a cluster with the fields that schedulers read. Immutable. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.engine.cluster.object;
