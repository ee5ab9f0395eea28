package io.policyscheduler.framework.insight.compare.decider;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import io.policyscheduler.framework.resultcache.ResultCache;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What is to be changed in a way of deciding, so as to see what it makes of a decision. Names are those of
 * {@link DeciderSource#filters} and {@link DeciderSource#scores}; others have no effect.
 *
 * @param withoutFilters predicates or filter plugins to be left out
 * @param withoutScores priorities or score plugins to be left out
 * @param weights other weights of priorities or score plugins
 */
public record Adjustment(Set<String> withoutFilters, Set<String> withoutScores, Map<String, Long> weights) {
    /** Nothing is changed. */
    public static final Adjustment NONE = new Adjustment(Set.of(), Set.of(), Map.of());

    public Adjustment {
        withoutFilters = ImmutableSet.copyOf(withoutFilters);
        withoutScores = ImmutableSet.copyOf(withoutScores);
        weights = ImmutableMap.copyOf(weights);
    }

    /** Leaves out filters besides. */
    public Adjustment withoutFilters(Set<String> names) {
        return new Adjustment(Sets.union(withoutFilters, names), withoutScores, weights);
    }

    /** Leaves out scores besides. */
    public Adjustment withoutScores(Set<String> names) {
        return new Adjustment(withoutFilters, Sets.union(withoutScores, names), weights);
    }

    /** Changes one weight besides. */
    public Adjustment withWeight(String name, long weight) {
        Map<String, Long> changed = new TreeMap<>(weights);
        changed.put(name, weight);
        return new Adjustment(withoutFilters, withoutScores, changed);
    }

    /** What a decider with it may keep about nodes, in bytes: many that are adjusted are at work side by side. */
    int keptBytes() {
        return isNone() ? ResultCache.USUAL_BYTES : ResultCache.USUAL_BYTES / 32;
    }

    /** True when nothing is changed. */
    public boolean isNone() {
        return withoutFilters.isEmpty() && withoutScores.isEmpty() && weights.isEmpty();
    }

    public long weight(String name, long weight) {
        return weights.getOrDefault(name, weight);
    }
}
