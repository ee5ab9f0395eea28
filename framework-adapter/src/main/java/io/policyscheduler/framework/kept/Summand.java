package io.policyscheduler.framework.kept;

import io.policyscheduler.engine.algorithm.Reduction;

/**
 * A part of the totals of nodes that depends on each node alone, but for the highest score among them.
 *
 * @param weight not below 0
 * @param reduction none, or by the highest
 */
public record Summand(ScoreColumn column, int weight, Reduction reduction) {}
