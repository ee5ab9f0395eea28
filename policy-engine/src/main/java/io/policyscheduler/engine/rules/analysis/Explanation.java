package io.policyscheduler.engine.rules.analysis;

import java.util.List;

/**
 * A rule in plain words.
 *
 * @param says what it says of a pod and a node; what belongs to a line stands deeper below it
 * @param reads what it looks at
 * @param retries when a pod that it keeps out is tried again; empty for a priority
 * @param preemption whether preemption can help such a pod; empty for a priority
 * @param missing what it means where a label or another entry is missing; empty when it asks for none
 * @param cost what one evaluation costs
 */
public record Explanation(
        List<Line> says,
        List<String> reads,
        List<String> retries,
        String preemption,
        List<String> missing,
        List<String> cost) {
    /**
     * A line of an outline.
     *
     * @param depth 0 for the outermost
     */
    public record Line(int depth, String text) {}

    public Explanation {
        says = List.copyOf(says);
        reads = List.copyOf(reads);
        retries = List.copyOf(retries);
        missing = List.copyOf(missing);
        cost = List.copyOf(cost);
    }
}
