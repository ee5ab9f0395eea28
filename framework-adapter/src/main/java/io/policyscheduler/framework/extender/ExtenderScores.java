package io.policyscheduler.framework.extender;

import java.util.List;

/**
 * What one extender's prioritize call gave.
 *
 * @param extender its name
 * @param weight factor to the scale of the in-process scores: ten times the extender's own
 * @param scores as answered
 */
public record ExtenderScores(String extender, long weight, List<HostScore> scores) {
    public ExtenderScores {
        scores = List.copyOf(scores);
    }
}
