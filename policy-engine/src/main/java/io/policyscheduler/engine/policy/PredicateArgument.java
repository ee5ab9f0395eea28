package io.policyscheduler.engine.policy;

import com.google.common.collect.ImmutableList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The argument of a predicate entry; exactly one member should be set, which registration checks. */
public record PredicateArgument(
        @Nullable ServiceAffinity serviceAffinity, @Nullable LabelsPresence labelsPresence) {

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
        return (serviceAffinity == null ? 0 : 1) + (labelsPresence == null ? 0 : 1);
    }
}
