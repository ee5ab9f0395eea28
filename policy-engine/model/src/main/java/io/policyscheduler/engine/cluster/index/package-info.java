/** Counts of pods by node and topology, kept from pod to pod. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.engine.cluster.index;
