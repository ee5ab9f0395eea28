package io.policyscheduler.engine.algorithm;

import io.policyscheduler.engine.cluster.node.NodeInfo;
import java.util.OptionalLong;

/**
 * Gives every node the same score, before and after normalising. Most pods have no preference of a kind, and whoever adds up
 * scores need not ask for each of thousands of nodes then.
 *
 * @param value the score
 */
public record ConstantScorer(long value) implements PodScorer {
    @Override
    public long score(NodeInfo node) {
        return value;
    }

    @Override
    public OptionalLong uniformScore() {
        return OptionalLong.of(value);
    }
}
