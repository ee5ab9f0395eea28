/**
 * Evaluates the effect of a change in a copy of a cluster, and finds running pods that their scheduler would not place on their node.
 */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.framework.insight.whatif;
