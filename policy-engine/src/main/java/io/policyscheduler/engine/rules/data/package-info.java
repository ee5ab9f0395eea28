/** The data that rules read: values and their types, tables, and views of the pod, the node, and the cluster. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.engine.rules.data;
