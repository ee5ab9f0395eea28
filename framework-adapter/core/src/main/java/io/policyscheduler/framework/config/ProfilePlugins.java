package io.policyscheduler.framework.config;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Maps;
import io.policyscheduler.engine.document.SourcePosition;
import io.policyscheduler.framework.plugin.ExtensionPoint;
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
}
