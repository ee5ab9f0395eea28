package io.policyscheduler.framework.config;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import io.policyscheduler.framework.plugin.ExtensionPoint;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The plugins of a profile as they run.
 *
 * @param points names in the order in which they are called; every point is there
 * @param scoreWeights weight of each score plugin, in the order of that point, at least 1 unless the file says less
 * @param unreserve plugins of the point that {@code v1alpha1} and {@code v1alpha2} have besides; empty in later versions
 */
public record EffectivePlugins(
        Map<ExtensionPoint, List<String>> points, Map<String, Integer> scoreWeights, List<String> unreserve) {
    public EffectivePlugins {
        Map<ExtensionPoint, List<String>> complete = new EnumMap<>(ExtensionPoint.class);
        for (ExtensionPoint point : ExtensionPoint.values()) {
            complete.put(point, ImmutableList.copyOf(points.getOrDefault(point, List.of())));
        }
        points = Maps.immutableEnumMap(complete);
        scoreWeights = ImmutableMap.copyOf(scoreWeights);
        unreserve = ImmutableList.copyOf(unreserve);
    }

    /** The plugins of one point, in order. */
    public List<String> at(ExtensionPoint point) {
        return points.getOrDefault(point, List.of());
    }

    /** Which plugins there are. */
    public interface PluginIndex {
        /** Whether there is a plugin of this name. */
        boolean exists(String plugin);

        /** Whether a plugin that exists can be enabled at the point. */
        boolean implementsPoint(String plugin, ExtensionPoint point);

        /** The names to suggest for one that does not exist. */
        default List<String> names() {
            return List.of();
        }
    }
}
