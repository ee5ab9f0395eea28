/** The v1.17 priorities: how good a node is for a pod. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.priorities;
