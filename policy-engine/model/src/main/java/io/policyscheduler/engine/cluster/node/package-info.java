/** Nodes with their pods and aggregated resources. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.engine.cluster.node;
