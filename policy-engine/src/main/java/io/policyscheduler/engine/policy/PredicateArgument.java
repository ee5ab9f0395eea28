package io.policyscheduler.engine.policy;

import com.google.common.collect.ImmutableList;
import io.policyscheduler.engine.rules.RuleDefinition;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The argument of a predicate entry; exactly one member should be set, which registration checks. Only {@code rule} is not part of v1.17. */
public record PredicateArgument(
        @Nullable ServiceAffinity serviceAffinity,
        @Nullable LabelsPresence labelsPresence,
        @Nullable RuleDefinition rule) {

    /** Pods of one service go to nodes with equal values of these labels. */
    public record ServiceAffinity(List<String> labels) {
        public ServiceAffinity {
            labels = ImmutableList.copyOf(labels);
        }
    }

    /** All labels must exist on a node, or with {@code presence} false none of them may. */
    public record LabelsPresence(List<String> labels, boolean presence) {
        public LabelsPresence {
            labels = ImmutableList.copyOf(labels);
        }
    }

    int members() {
        return (serviceAffinity == null ? 0 : 1) + (labelsPresence == null ? 0 : 1) + (rule == null ? 0 : 1);
    }
}
