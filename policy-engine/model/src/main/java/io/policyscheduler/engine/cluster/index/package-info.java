/** Counts of pods by node and topology value, cached between scheduling attempts. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.engine.cluster.index;
