package io.policyscheduler.engine.policy;

import com.google.common.collect.ImmutableList;
import io.policyscheduler.engine.document.SourcePosition;
import io.policyscheduler.engine.rules.RuleDefinition;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The argument of a priority entry; exactly one member should be set, which registration checks. Only {@code rule} is not part of v1.17. */
public record PriorityArgument(
        @Nullable ServiceAntiAffinity serviceAntiAffinity,
        @Nullable LabelPreference labelPreference,
        @Nullable RatioArguments requestedToCapacityRatio,
        @Nullable RuleDefinition rule) {

    /** Spread the pods of one service over the values of this label. */
    public record ServiceAntiAffinity(String label) {}

    /** Prefer nodes with this label, or with {@code presence} false nodes without it. */
    public record LabelPreference(String label, boolean presence) {}

    /**
     * A scoring function over the utilization of resources.
     *
     * @param shape points of the function, scores 0 to 10
     * @param resources empty means cpu and memory with weight 1
     */
    public record RatioArguments(List<ShapePoint> shape, List<ResourceWeight> resources) {
        public RatioArguments {
            shape = ImmutableList.copyOf(shape);
            resources = ImmutableList.copyOf(resources);
        }
    }

    /** One point of a function: utilization in percent, and a score. */
    public record ShapePoint(int utilization, int score) {}

    /** A resource and its weight; a weight of 0 stands for 1. */
    public record ResourceWeight(String name, long weight, SourcePosition position) {}

    int members() {
        return (serviceAntiAffinity == null ? 0 : 1)
                + (labelPreference == null ? 0 : 1)
                + (requestedToCapacityRatio == null ? 0 : 1)
                + (rule == null ? 0 : 1);
    }
}
