/** The objects of a cluster as schedulers read them. Immutable. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.engine.cluster.object;
