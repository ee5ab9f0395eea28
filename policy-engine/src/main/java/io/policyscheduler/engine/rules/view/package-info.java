/** What a rule may look at: the pod, the node, numbers about the cluster, and how those are counted. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.engine.rules.view;
