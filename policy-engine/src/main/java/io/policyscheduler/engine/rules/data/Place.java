package io.policyscheduler.engine.rules.data;

/** What pods are counted by: all of them together, by their node, or by a label of their node. */
enum Place {
    CLUSTER,
    NODE,
    TOPOLOGY
}
