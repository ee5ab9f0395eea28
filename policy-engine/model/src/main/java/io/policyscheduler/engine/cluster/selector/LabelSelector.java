package io.policyscheduler.engine.cluster.selector;

import io.policyscheduler.engine.cluster.selector.TermSet.RequirementIndex;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A conjunction of requirements. An absent selector object ({@code null} in the field that holds it) matches nothing; an
 * empty one matches everything. Immutable. Mirrors {@code metav1.LabelSelectorAsSelector}.
 */
public final class LabelSelector {
    /** Matches everything. */
    public static final LabelSelector EVERYTHING = new LabelSelector(List.of());

    private static final int MAX_LINEAR = 12;

    private final List<LabelRequirement> requirements;
    private final @Nullable String error;
    /** Null for few requirements. */
    private final @Nullable RequirementIndex index;

    private final int hash;

    /** @param requirements in the order of matchLabels (by key), then matchExpressions */
    public LabelSelector(List<LabelRequirement> requirements) {
        this.requirements = List.copyOf(requirements);
        this.hash = this.requirements.hashCode();
        this.error = firstError(this.requirements);
        this.index =
                requirements.size() <= MAX_LINEAR || error != null ? null : new RequirementIndex(this.requirements);
    }

    /** From matchLabels and matchExpressions. */
    public static LabelSelector of(Labels matchLabels, List<LabelRequirement> matchExpressions) {
        List<LabelRequirement> all = new ArrayList<>();
        matchLabels.forEach((key, value) -> all.add(LabelRequirement.equalTo(key, value)));
        all.addAll(matchExpressions);
        return all.isEmpty() ? EVERYTHING : new LabelSelector(all);
    }

    /**
     * The selector of a map, as {@code labels.SelectorFromSet} of 1.17 builds it: one invalid key or value makes it
     * {@link #EVERYTHING}.
     */
    public static LabelSelector ofValidatedMap(Labels map) {
        LabelSelector selector = of(map, List.of());
        return selector.error() == null ? selector : EVERYTHING;
    }

    private static @Nullable String firstError(List<LabelRequirement> requirements) {
        for (LabelRequirement requirement : requirements) {
            if (requirement.error() != null) {
                return requirement.error();
            }
        }
        return null;
    }

    /** In the order of matchLabels (by key), then matchExpressions. */
    public List<LabelRequirement> requirements() {
        return requirements;
    }

    /** Null when every requirement is valid, else the first reason. */
    public @Nullable String error() {
        return error;
    }

    /** True when there is no requirement. */
    public boolean isEmpty() {
        return requirements.isEmpty();
    }

    /** True when every requirement is valid and satisfied. */
    public boolean matches(Labels labels) {
        if (index != null) {
            return index.matches(labels);
        }
        for (int i = 0; i < requirements.size(); i++) {
            if (!requirements.get(i).matches(labels)) {
                return false;
            }
        }
        return true;
    }

    @Override
    public boolean equals(@Nullable Object o) {
        return this == o
                || (o instanceof LabelSelector other && hash == other.hash && requirements.equals(other.requirements));
    }

    @Override
    public int hashCode() {
        return hash;
    }

    @Override
    public String toString() {
        return "LabelSelector[requirements=" + requirements + "]";
    }

    /**
     * A label selector that caches its results for the last label sets. Pods of one controller share their {@link Labels} object,
     * so that the selector is evaluated only a few times for thousands of pods.
     *
     * <p>Thread-safe: results are immutable objects in array slots, and a lost write only costs time.
     */
    public static final class MemoizedSelector {
        private static final int SLOTS = 256;

        private final LabelSelector selector;
        // Two arrays, so that one reference contains both key and result. Allocated lazily: a pod may have thousands of
        // selectors.
        private Labels @Nullable [] matched;
        private Labels @Nullable [] unmatched;

        /** Wraps {@code selector}. */
        public MemoizedSelector(LabelSelector selector) {
            this.selector = selector;
        }

        /** The same as {@link LabelSelector#matches}. */
        @SuppressWarnings("ReferenceEquality") // Compared by identity, which is fast; an equal copy is evaluated again.
        public boolean matches(Labels labels) {
            int slot = labels.hashCode() & (SLOTS - 1);
            Labels[] yes = matched;
            if (yes != null && yes[slot] == labels) {
                return true;
            }
            Labels[] no = unmatched;
            if (no != null && no[slot] == labels) {
                return false;
            }
            boolean result = selector.matches(labels);
            if (result) {
                yes = yes == null ? new Labels[SLOTS] : yes;
                yes[slot] = labels;
                matched = yes;
            } else {
                no = no == null ? new Labels[SLOTS] : no;
                no[slot] = labels;
                unmatched = no;
            }
            return result;
        }
    }
}
