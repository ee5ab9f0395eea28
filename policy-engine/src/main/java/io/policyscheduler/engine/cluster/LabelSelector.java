package io.policyscheduler.engine.cluster;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A conjunction of requirements. An absent selector object ({@code null} in the field that holds it) matches nothing; an
 * empty one matches everything. Mirrors {@code metav1.LabelSelectorAsSelector}.
 *
 * @param requirements in the order of matchLabels (by key), then matchExpressions
 */
public record LabelSelector(List<LabelRequirement> requirements) {
    /** Matches everything. */
    public static final LabelSelector EVERYTHING = new LabelSelector(List.of());

    public LabelSelector {
        requirements = List.copyOf(requirements);
    }

    /** From matchLabels and matchExpressions. */
    public static LabelSelector of(Labels matchLabels, List<LabelRequirement> matchExpressions) {
        List<LabelRequirement> all = new ArrayList<>();
        matchLabels.forEach((key, value) -> all.add(LabelRequirement.equalTo(key, value)));
        all.addAll(matchExpressions);
        return all.isEmpty() ? EVERYTHING : new LabelSelector(all);
    }

    /**
     * The selector of a plain map by the validating path: one illegal key or value turns the whole into {@link #EVERYTHING}.
     * Mirrors {@code labels.SelectorFromSet} of 1.17.
     */
    public static LabelSelector ofValidatedMap(Labels map) {
        LabelSelector selector = of(map, List.of());
        return selector.error() == null ? selector : EVERYTHING;
    }

    /** Null when every requirement is valid, else the first reason. */
    public @Nullable String error() {
        for (LabelRequirement requirement : requirements) {
            if (requirement.error() != null) {
                return requirement.error();
            }
        }
        return null;
    }

    /** True when there is no requirement. */
    public boolean isEmpty() {
        return requirements.isEmpty();
    }

    /** True when every requirement is valid and satisfied. */
    public boolean matches(Labels labels) {
        for (int i = 0; i < requirements.size(); i++) {
            if (!requirements.get(i).matches(labels)) {
                return false;
            }
        }
        return true;
    }
}
