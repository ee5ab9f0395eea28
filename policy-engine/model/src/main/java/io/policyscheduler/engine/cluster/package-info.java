/** The state of the cluster: nodes, pods, and other objects, including assumed ones. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.engine.cluster;
