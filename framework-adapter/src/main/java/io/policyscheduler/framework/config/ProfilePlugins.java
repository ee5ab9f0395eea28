package io.policyscheduler.framework.config;

import com.google.common.collect.Maps;
import io.policyscheduler.framework.plugin.ExtensionPoint;
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
}
