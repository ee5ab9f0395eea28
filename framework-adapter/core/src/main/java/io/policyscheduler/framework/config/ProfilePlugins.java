package io.policyscheduler.framework.config;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import io.policyscheduler.engine.document.SourceDocument.SourcePosition;
import io.policyscheduler.framework.plugin.ExtensionPoint;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * {@code plugins} of a profile.
 *
 * @param multiPoint plugins for every point that they implement
 * @param points the sets of single extension points; a missing one counts as empty
 * @param unreserve a point of its own up to {@code v1alpha2}, part of reserve later
 */
public record ProfilePlugins(PluginSet multiPoint, Map<ExtensionPoint, PluginSet> points, PluginSet unreserve) {
    /** The extension points in the order of their fields. */
    public static final List<ExtensionPoint> POINTS = List.of(
            ExtensionPoint.PRE_ENQUEUE,
            ExtensionPoint.QUEUE_SORT,
            ExtensionPoint.PRE_FILTER,
            ExtensionPoint.FILTER,
            ExtensionPoint.POST_FILTER,
            ExtensionPoint.PRE_SCORE,
            ExtensionPoint.SCORE,
            ExtensionPoint.RESERVE,
            ExtensionPoint.PERMIT,
            ExtensionPoint.PRE_BIND,
            ExtensionPoint.BIND,
            ExtensionPoint.POST_BIND,
            ExtensionPoint.PLACEMENT_GENERATE,
            ExtensionPoint.PLACEMENT_SCORE);

    /** No plugins at any extension point. */
    public static final ProfilePlugins EMPTY = new ProfilePlugins(PluginSet.EMPTY, Map.of(), PluginSet.EMPTY);

    public ProfilePlugins {
        points = Maps.immutableEnumMap(points);
    }

    /** The set of one extension point, empty if it is not configured. */
    public PluginSet at(ExtensionPoint point) {
        return points.getOrDefault(point, PluginSet.EMPTY);
    }

    /** Every set: multiPoint, the points in their order, unreserve. */
    Stream<PluginSet> sets() {
        return Stream.concat(Stream.concat(Stream.of(multiPoint), points.values().stream()), Stream.of(unreserve));
    }

    /**
     * The plugins that a profile enables and disables at one extension point, or at all of them (multiPoint).
     *
     * @param enabled in execution order
     * @param disabled names, or {@code *} for all
     */
    public record PluginSet(List<PluginEntry> enabled, List<String> disabled) {
        public static final PluginSet EMPTY = new PluginSet(List.of(), List.of());

        /** Disables every default plugin, in a {@code disabled} list. */
        public static final String ALL = "*";

        public PluginSet {
            enabled = ImmutableList.copyOf(enabled);
            disabled = ImmutableList.copyOf(disabled);
        }

        static PluginSet of(String... names) {
            return new PluginSet(List.of(names).stream().map(PluginEntry::of).toList(), List.of());
        }

        /** Whether all plugins that are not in {@link #enabled} are disabled. */
        public boolean disablesAll() {
            return disabled.contains(ALL);
        }

        /** Whether a plugin of this name is enabled here. */
        public boolean enables(String name) {
            return enabled.stream().anyMatch(entry -> entry.name().equals(name));
        }

        /** The enabled names, in order. */
        public List<String> names() {
            return enabled.stream().map(PluginEntry::name).toList();
        }
    }

    /**
     * A plugin in an {@code enabled} list.
     *
     * @param weight factor of its score, 0 if not set
     * @param position in the file, unknown for a default
     */
    public record PluginEntry(String name, int weight, SourcePosition position) {
        /** A default without weight. */
        static PluginEntry of(String name) {
            return of(name, 0);
        }

        /** A default. */
        static PluginEntry of(String name, int weight) {
            return new PluginEntry(name, weight, SourcePosition.UNKNOWN);
        }
    }

    /**
     * The effective plugins of a profile.
     *
     * @param points plugin names in execution order, for every extension point
     * @param scoreWeights weight of each score plugin, in the order of the score point; at least 1 unless the file has a smaller
     *     one
     * @param unreserve plugins of the extension point that only {@code v1alpha1} and {@code v1alpha2} have; empty in later versions
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

        /** The available plugins. */
        public interface PluginIndex {
            /** Whether a plugin of this name exists. */
            boolean exists(String plugin);

            /** Whether an existing plugin can be enabled at the extension point. */
            boolean implementsPoint(String plugin, ExtensionPoint point);

            /** The names to suggest instead of an unknown one. */
            default List<String> names() {
                return List.of();
            }
        }
    }
}
