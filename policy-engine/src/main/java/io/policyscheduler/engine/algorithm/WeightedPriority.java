package io.policyscheduler.engine.algorithm;

/** A priority and the weight that its score is multiplied by. */
public record WeightedPriority(Priority priority, long weight) {}
