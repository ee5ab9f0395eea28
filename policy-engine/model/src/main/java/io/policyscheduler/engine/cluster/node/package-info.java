/** Nodes with the pods on them, and what they offer and demand. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.engine.cluster.node;
