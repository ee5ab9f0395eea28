package io.policyscheduler.framework.insight.explain;

import java.util.List;

/**
 * What a policy's {@code labelsPresence} arguments demand of every node.
 *
 * @param present keys that a node must have
 * @param absent keys that it must not have
 */
public record LabelDemands(List<String> present, List<String> absent) {
    /** Nothing is demanded. */
    public static final LabelDemands NONE = new LabelDemands(List.of(), List.of());

    public LabelDemands {
        present = List.copyOf(present);
        absent = List.copyOf(absent);
    }
}
