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
 * @param points what is said about single points; a point that is missing says nothing
 * @param unreserve a point of its own up to {@code v1alpha2}, part of reserve later
 */
public record ProfilePlugins(PluginSet multiPoint, Map<ExtensionPoint, PluginSet> points, PluginSet unreserve) {
    /** Says nothing. */
    public static final ProfilePlugins EMPTY = new ProfilePlugins(PluginSet.EMPTY, Map.of(), PluginSet.EMPTY);

    public ProfilePlugins {
        points = Maps.immutableEnumMap(points);
    }

    /** The set of one point, empty if nothing is said about it. */
    public PluginSet at(ExtensionPoint point) {
        return points.getOrDefault(point, PluginSet.EMPTY);
    }

    /** Every set: multiPoint, the points in their order, unreserve. */
    Stream<PluginSet> sets() {
        return Stream.concat(Stream.concat(Stream.of(multiPoint), points.values().stream()), Stream.of(unreserve));
    }

    /**
     * The plugins that a profile turns on and off at one extension point, or at all of them (multiPoint).
     *
     * @param enabled in the order in which they run
     * @param disabled names, or {@code *} for all
     */
    public record PluginSet(List<PluginEntry> enabled, List<String> disabled) {
        /** Nothing on, nothing off. */
        public static final PluginSet EMPTY = new PluginSet(List.of(), List.of());

        /** Stands for every plugin in a {@code disabled} list. */
        public static final String ALL = "*";

        public PluginSet {
            enabled = ImmutableList.copyOf(enabled);
            disabled = ImmutableList.copyOf(disabled);
        }

        static PluginSet of(String... names) {
            return new PluginSet(List.of(names).stream().map(PluginEntry::of).toList(), List.of());
        }

        /** Whether everything is turned off that is not in {@link #enabled}. */
        public boolean disablesAll() {
            return disabled.contains(ALL);
        }

        /** Whether a plugin of this name is turned on here. */
        public boolean enables(String name) {
            return enabled.stream().anyMatch(entry -> entry.name().equals(name));
        }

        /** Names turned on, in order. */
        public List<String> names() {
            return enabled.stream().map(PluginEntry::name).toList();
        }
    }

    /**
     * A plugin in an {@code enabled} list.
     *
     * @param weight factor of its score, 0 if the entry does not say it
     * @param position where in the file, unknown for a default
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
     * The plugins of a profile as they run.
     *
     * @param points plugin names in the order of calls, for every extension point
     * @param scoreWeights weight of each score plugin, in the order of the score point; at least 1 unless the file has a smaller one
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
}
