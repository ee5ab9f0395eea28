package io.policyscheduler.cmd.live;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.google.common.collect.ImmutableList;
import io.policyscheduler.cmd.report.TextTable;
import io.policyscheduler.engine.algorithm.KnownAlgorithms;
import io.policyscheduler.engine.document.SourceDocument.SourcePosition;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.framework.config.ConfigVersion;
import io.policyscheduler.framework.config.ProfilePlugins.PluginEntry;
import io.policyscheduler.framework.config.ProfilePlugins.PluginSet;
import io.policyscheduler.framework.config.SchedulerConfiguration;
import io.policyscheduler.framework.config.SchedulerConfiguration.ProfileConfiguration;
import io.policyscheduler.framework.plugin.ExtensionPoint;
import io.policyscheduler.framework.plugin.Plugin;
import io.policyscheduler.framework.profile.InTreePlugins.DefaultBinder;
import io.policyscheduler.framework.profile.Profile;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The plugins of a profile by extension point, in the order in which the scheduler calls them. Mirrors {@code ListPlugins} of the
 * scheduling framework.
 *
 * @param rows points in the order of a scheduling attempt, and plugins in call order
 */
public record PluginList(List<Row> rows) {
    /** No plugins. */
    public static final PluginList EMPTY = new PluginList(List.of());

    /**
     * A plugin at an extension point.
     *
     * @param point the key of the extension point in a configuration, such as {@code preFilter}
     * @param weight of a score plugin, 0 at other points
     * @param origin the entry of the policy or configuration that enables the plugin, or {@code default}
     */
    public record Row(String point, String plugin, long weight, String origin) {}

    /** Finds the entry that enables a plugin. */
    @FunctionalInterface
    public interface Origins {
        /** Returns the origin of a plugin at an extension point, for users. */
        String of(ExtensionPoint point, String plugin);

        /**
         * Returns the origins in a policy or a provider: predicates and priorities with their lines.
         *
         * @param others origins of the plugins that replace no predicate or priority
         */
        static Origins of(EffectivePolicy policy, Origins others) {
            return (point, plugin) -> {
                List<String> found = new ArrayList<>();
                if (point == ExtensionPoint.SCORE || point == ExtensionPoint.PRE_SCORE) {
                    policy.priorityOrigins().forEach((name, origin) -> {
                        if (name.equals(plugin)
                                || KnownAlgorithms.scorePlugin(name).equals(plugin)) {
                            found.add(name + " (" + origin.describe() + ")");
                        }
                    });
                } else {
                    policy.predicates().forEach((name, origin) -> {
                        if (name.equals(plugin)
                                || KnownAlgorithms.filterPlugins(name).contains(plugin)) {
                            found.add(name + " (" + origin.describe() + ")");
                        }
                    });
                }
                return found.isEmpty() ? others.of(point, plugin) : String.join(", ", found);
            };
        }

        /** Returns the origins in a profile of a configuration: its lines and the defaults of its release. */
        static Origins of(SchedulerConfiguration configuration, ProfileConfiguration profile) {
            String defaults = configuration.version() == ConfigVersion.V1ALPHA1
                    ? "default"
                    : "default of "
                            + (configuration.version() == ConfigVersion.V1
                                    ? configuration.release()
                                    : configuration.version().version());
            return (point, plugin) -> {
                ExtensionPoint written =
                        configuration.version() == ConfigVersion.V1ALPHA1 && point == ExtensionPoint.PRE_SCORE
                                ? ExtensionPoint.POST_FILTER
                                : point;
                Optional<String> here = line(profile.plugins().at(written), plugin, "");
                Optional<String> everywhere = line(profile.plugins().multiPoint(), plugin, " (multiPoint)");
                // A plugin prepares the point that enables it.
                Optional<String> elsewhere = profile.plugins().points().entrySet().stream()
                        .flatMap(set ->
                                line(set.getValue(), plugin, " (" + set.getKey().key() + ")").stream())
                        .findFirst();
                return here.or(() -> everywhere).or(() -> elsewhere).orElse(defaults);
            };
        }

        private static Optional<String> line(PluginSet set, String plugin, String suffix) {
            return set.enabled().stream()
                    .filter(entry -> entry.name().equals(plugin))
                    .map(PluginEntry::position)
                    .filter(SourcePosition::known)
                    .map(position -> "line " + position.line() + suffix)
                    .findFirst();
        }
    }

    public PluginList {
        rows = ImmutableList.copyOf(rows);
    }

    /** Returns the plugins of a profile. */
    public static PluginList of(Profile profile, Origins origins) {
        Rows rows = new Rows(origins);
        rows.add(ExtensionPoint.PRE_ENQUEUE, profile.preEnqueues());
        rows.add(ExtensionPoint.QUEUE_SORT, List.of(profile.queueSort()));
        rows.add(ExtensionPoint.PRE_FILTER, profile.preFilters());
        rows.add(ExtensionPoint.FILTER, profile.filters());
        rows.add(ExtensionPoint.POST_FILTER, profile.postFilters());
        rows.add(ExtensionPoint.PRE_SCORE, profile.preScores());
        profile.scores()
                .forEach(score -> rows.add(ExtensionPoint.SCORE, score.plugin().name(), score.weight()));
        profile.functions()
                .forEach(function ->
                        rows.add(ExtensionPoint.SCORE, function.priority().name(), function.weight()));
        rows.add(ExtensionPoint.RESERVE, profile.reserves());
        rows.add(ExtensionPoint.PERMIT, profile.permits());
        rows.add(ExtensionPoint.PRE_BIND, profile.preBinds());
        rows.add(ExtensionPoint.BIND, profile.binds());
        if (profile.bindsByDefault()) {
            rows.add(ExtensionPoint.BIND, DefaultBinder.NAME, 0);
        }
        rows.add(ExtensionPoint.POST_BIND, profile.postBinds());
        return new PluginList(rows.rows);
    }

    private record Rows(Origins origins, List<Row> rows) {
        Rows(Origins origins) {
            this(origins, new ArrayList<>());
        }

        void add(ExtensionPoint point, List<? extends Plugin> plugins) {
            plugins.forEach(plugin -> add(point, plugin.name(), 0));
        }

        void add(ExtensionPoint point, String plugin, long weight) {
            rows.add(new Row(point.key(), plugin, weight, origins.of(point, plugin)));
        }
    }

    /** Returns one line per extension point for the log: {@code score: NodeResourcesFit=1, ImageLocality=1}. */
    public List<String> lines() {
        Map<String, List<Row>> points = new LinkedHashMap<>();
        rows.forEach(row ->
                points.computeIfAbsent(row.point(), unused -> new ArrayList<>()).add(row));
        return points.entrySet().stream()
                .map(point -> point.getKey() + ": "
                        + point.getValue().stream()
                                .map(row -> row.weight() == 0 ? row.plugin() : row.plugin() + "=" + row.weight())
                                .collect(Collectors.joining(", ")))
                .toList();
    }

    /** Returns the table for people: point, plugin, weight, and origin. */
    public TextTable table() {
        TextTable table = new TextTable()
                .text("EXTENSION POINT")
                .text("PLUGIN")
                .number("WEIGHT")
                .text("ORIGIN");
        rows.forEach(row -> table.row(
                row.point(), row.plugin(), row.weight() == 0 ? "" : Long.toString(row.weight()), row.origin()));
        return table;
    }

    /** Adds an element for each plugin: {@code point, plugin, weight, origin}. */
    public void addTo(ArrayNode plugins) {
        rows.forEach(row -> plugins.addObject()
                .put("point", row.point())
                .put("plugin", row.plugin())
                .put("weight", row.weight())
                .put("origin", row.origin()));
    }
}
