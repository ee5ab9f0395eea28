package io.policyscheduler.framework.config;

import io.policyscheduler.engine.algorithm.Suggestions;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.cluster.release.SchedulerChange;
import io.policyscheduler.engine.document.GoText;
import io.policyscheduler.engine.document.Problem;
import io.policyscheduler.engine.document.SourceDocument.SourcePosition;
import io.policyscheduler.framework.config.ConfigurationReader.ConfigurationException;
import io.policyscheduler.framework.config.ConfigurationReader.ConfigurationException.ConfigurationProblemCode;
import io.policyscheduler.framework.config.ConfigurationValidator.StartupText;
import io.policyscheduler.framework.config.ProfilePlugins.EffectivePlugins;
import io.policyscheduler.framework.config.ProfilePlugins.EffectivePlugins.PluginIndex;
import io.policyscheduler.framework.config.ProfilePlugins.PluginEntry;
import io.policyscheduler.framework.config.ProfilePlugins.PluginSet;
import io.policyscheduler.framework.config.SchedulerConfiguration.ProfileConfiguration;
import io.policyscheduler.framework.plugin.ExtensionPoint;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Expands the plugins of a profile to extension points and reports errors. Mirrors {@code NewFramework} and
 * {@code expandMultiPointPlugins} of {@code pkg/scheduler/framework/runtime}; {@link V1alpha1Plugins} handles {@code v1alpha1}.
 */
public final class PluginExpansion {
    private static final int MAX_SCORE = 100;

    /** The order in which kube-scheduler visits extension points, and thus where it reports an unknown plugin. */
    private static final List<ExtensionPoint> ORDER = List.of(
            ExtensionPoint.PRE_FILTER,
            ExtensionPoint.FILTER,
            ExtensionPoint.POST_FILTER,
            ExtensionPoint.RESERVE,
            ExtensionPoint.PRE_SCORE,
            ExtensionPoint.SCORE,
            ExtensionPoint.PRE_BIND,
            ExtensionPoint.BIND,
            ExtensionPoint.POST_BIND,
            ExtensionPoint.PERMIT,
            ExtensionPoint.PRE_ENQUEUE,
            ExtensionPoint.QUEUE_SORT,
            ExtensionPoint.PLACEMENT_GENERATE,
            ExtensionPoint.PLACEMENT_SCORE);

    private final PluginIndex index;

    /** @param index the available plugins */
    public PluginExpansion(PluginIndex index) {
        this.index = index;
    }

    /**
     * Expands one profile.
     *
     * @throws ConfigurationException with every problem; its message is that of kube-scheduler, which names the first
     */
    public EffectivePlugins expand(SchedulerConfiguration configuration, ProfileConfiguration profile)
            throws ConfigurationException {
        if (configuration.version() == ConfigVersion.V1ALPHA1) {
            return new V1alpha1Plugins(index, configuration.file()).expand(profile.plugins());
        }
        Run run = new Run(configuration.file(), profile, configuration.release());
        EffectivePlugins effective = run.expand();
        if (!run.problems.isEmpty()) {
            throw new ConfigurationException(run.problems, run.problems.get(0).message());
        }
        return effective;
    }

    /** Expands one profile and collects its problems. */
    private final class Run {
        private final String file;
        private final String schedulerName;
        private final Release release;
        private final ProfilePlugins plugins;
        private final List<Problem> problems = new ArrayList<>();
        private final Set<String> unknownInMultiPoint = new HashSet<>();

        Run(String file, ProfileConfiguration profile, Release release) {
            this.release = release;
            this.file = file;
            this.schedulerName = profile.schedulerName();
            this.plugins = profile.plugins();
        }

        EffectivePlugins expand() {
            for (ExtensionPoint point : ORDER) {
                checkExplicit(plugins.at(point), point, point.typeName());
            }
            checkExplicit(plugins.unreserve(), ExtensionPoint.RESERVE, "UnreservePlugin");
            Map<ExtensionPoint, List<String>> points = new EnumMap<>(ExtensionPoint.class);
            for (ExtensionPoint point : ORDER) {
                points.put(point, names(point));
            }
            int sorts =
                    points.getOrDefault(ExtensionPoint.QUEUE_SORT, List.of()).size();
            if (sorts != 1) {
                problem(
                        "only one queue sort plugin required for profile with scheduler name "
                                + GoText.quote(schedulerName) + ", but got " + sorts,
                        SourcePosition.UNKNOWN);
            }
            if (points.getOrDefault(ExtensionPoint.BIND, List.of()).isEmpty()) {
                problem(
                        "at least one bind plugin is needed for profile with scheduler name "
                                + GoText.quote(schedulerName),
                        SourcePosition.UNKNOWN);
            }
            if (points.getOrDefault(ExtensionPoint.PLACEMENT_GENERATE, List.of())
                            .size()
                    > 1) {
                problem(
                        "at most one placement generate plugin is allowed for profile with scheduler name "
                                + GoText.quote(schedulerName),
                        SourcePosition.UNKNOWN);
            }
            Map<String, Integer> weights = weights(points.getOrDefault(ExtensionPoint.SCORE, List.of()));
            return new EffectivePlugins(points, weights, plugins.unreserve().names());
        }

        private void checkExplicit(PluginSet set, ExtensionPoint point, String typeName) {
            Set<String> seen = new HashSet<>();
            for (PluginEntry entry : set.enabled()) {
                String name = GoText.quote(entry.name());
                if (!index.exists(entry.name())) {
                    missing(typeName, entry);
                } else if (!index.implementsPoint(entry.name(), point)) {
                    problem("plugin " + name + " does not extend " + typeName + " plugin", entry.position());
                } else if (!seen.add(entry.name())) {
                    problem("plugin " + name + " already registered as " + GoText.quote(typeName), entry.position());
                }
            }
        }

        private List<String> names(ExtensionPoint point) {
            PluginSet set = plugins.at(point);
            if (set.disablesAll()) {
                return set.names();
            }
            Set<String> overriding = new HashSet<>();
            Set<String> fromMultiPoint = new LinkedHashSet<>();
            for (PluginEntry entry : plugins.multiPoint().enabled()) {
                if (!index.exists(entry.name())) {
                    unknown(entry, point);
                } else if (index.implementsPoint(entry.name(), point)
                        && !set.disabled().contains(entry.name())) {
                    if (set.enables(entry.name())) {
                        overriding.add(entry.name());
                    } else if (!fromMultiPoint.add(entry.name())) {
                        problem(
                                "plugin " + GoText.quote(entry.name()) + " already registered as "
                                        + GoText.quote(point.typeName()),
                                entry.position());
                    }
                }
            }
            List<String> names = new ArrayList<>();
            set.names().stream().filter(overriding::contains).forEach(names::add);
            names.addAll(fromMultiPoint);
            set.names().stream().filter(name -> !overriding.contains(name)).forEach(names::add);
            return names;
        }

        /** Reports an unknown plugin once, at the first extension point. */
        private void unknown(PluginEntry entry, ExtensionPoint point) {
            if (unknownInMultiPoint.add(entry.name())) {
                missing(point.typeName(), entry);
            }
        }

        private Map<String, Integer> weights(List<String> scorePlugins) {
            // An entry of the score point precedes one of multiPoint.
            Map<String, PluginEntry> entries = new LinkedHashMap<>();
            Stream.of(plugins.at(ExtensionPoint.SCORE), plugins.multiPoint())
                    .flatMap(set -> set.enabled().stream())
                    .filter(entry ->
                            index.exists(entry.name()) && index.implementsPoint(entry.name(), ExtensionPoint.SCORE))
                    .forEach(entry -> entries.putIfAbsent(entry.name(), entry));
            checkTotal(entries.values());
            Map<String, Integer> weights = new LinkedHashMap<>();
            for (String plugin : scorePlugins) {
                PluginEntry entry = entries.get(plugin);
                weights.put(plugin, entry == null ? 1 : weight(entry));
            }
            return weights;
        }

        private static int weight(PluginEntry entry) {
            return entry.weight() == 0 ? 1 : entry.weight();
        }

        /**
         * Rejects weights whose total kube-scheduler takes for an overflow. Like {@code getScoreWeights}, it adds the weights in the order
         * of the entries, also those of plugins that the score point disables, and the check itself overflows after a negative sum.
         */
        private void checkTotal(Collection<PluginEntry> entries) {
            long total = 0;
            @Nullable PluginEntry negative = null;
            for (PluginEntry entry : entries) {
                long part = (long) weight(entry) * MAX_SCORE;
                negative = negative == null && part < 0 ? entry : negative;
                if (part > Long.MAX_VALUE - total) {
                    PluginEntry cause = negative == null ? entry : negative;
                    String prefix = SchedulerChange.PLACEMENT_POINTS.in(release) ? "score plugins: " : "";
                    problems.add(problemAt(prefix + "total score of Score plugins could overflow", cause.position())
                            .explained("weight " + cause.weight() + " of " + cause.name()
                                    + (cause.weight() < 0
                                            ? " is negative: set a weight of 1 or more"
                                            : " is too large")));
                    return;
                }
                total += part;
            }
        }

        private void missing(String typeName, PluginEntry entry) {
            String successor = PluginNames.successor(entry.name());
            String message = typeName + " " + GoText.quote(entry.name()) + " does not exist";
            Problem problem = Problem.at(
                    ConfigurationProblemCode.PLUGINS,
                    StartupText.profile(schedulerName) + message,
                    file,
                    entry.position());
            problems.add(
                    successor == null
                            ? problem.suggesting(Suggestions.nearest(entry.name(), index.names()))
                            : problem.replacedBy(successor));
        }

        private void problem(String message, SourcePosition position) {
            problems.add(problemAt(message, position));
        }

        private Problem problemAt(String message, SourcePosition position) {
            return Problem.at(
                    ConfigurationProblemCode.PLUGINS, StartupText.profile(schedulerName) + message, file, position);
        }
    }

    /**
     * The plugins of a {@code v1alpha1} configuration in 1.17: {@code disabled} has no effect, and a plugin has one weight, that of
     * its last occurrence. Mirrors {@code NewFramework} of {@code pkg/scheduler/framework/v1alpha1}.
     *
     * <p>{@code postFilter} of that release runs before scoring and is informational; it corresponds to preScore.
     */
    static final class V1alpha1Plugins {
        private static final String PREFIX = "error initializing the scheduling framework: ";

        /** An extension point of 1.17; {@code point} is null for unreserve. */
        private record Stage(String typeName, @Nullable ExtensionPoint point) {
            static Stage of(ExtensionPoint point) {
                return new Stage(point.typeName(), point);
            }

            PluginSet in(ProfilePlugins plugins) {
                return point == null ? plugins.unreserve() : plugins.at(point);
            }

            /** The extension point that replaces it: unreserve became part of reserve. */
            ExtensionPoint currentPoint() {
                return point == null ? ExtensionPoint.RESERVE : point;
            }
        }

        /** The order in which 1.17 visits extension points; the last occurrence of a plugin sets its weight. */
        private static final List<Stage> ORDER = List.of(
                Stage.of(ExtensionPoint.PRE_FILTER),
                Stage.of(ExtensionPoint.FILTER),
                Stage.of(ExtensionPoint.RESERVE),
                Stage.of(ExtensionPoint.POST_FILTER),
                Stage.of(ExtensionPoint.SCORE),
                Stage.of(ExtensionPoint.PRE_BIND),
                Stage.of(ExtensionPoint.BIND),
                Stage.of(ExtensionPoint.POST_BIND),
                new Stage("UnreservePlugin", null),
                Stage.of(ExtensionPoint.PERMIT),
                Stage.of(ExtensionPoint.QUEUE_SORT));

        private final PluginIndex index;
        private final String file;
        private final List<Problem> problems = new ArrayList<>();

        V1alpha1Plugins(PluginIndex index, String file) {
            this.index = index;
            this.file = file;
        }

        EffectivePlugins expand(ProfilePlugins plugins) throws ConfigurationException {
            Map<ExtensionPoint, List<String>> points = new EnumMap<>(ExtensionPoint.class);
            Map<String, Integer> weights = new HashMap<>();
            for (Stage stage : ORDER) {
                PluginSet set = stage.in(plugins);
                check(stage, set);
                set.enabled().forEach(entry -> weights.put(entry.name(), entry.weight()));
                if (stage.point() != null) {
                    points.put(stage.point(), set.names());
                }
            }
            List<PluginEntry> sorts = plugins.at(ExtensionPoint.QUEUE_SORT).enabled();
            if (sorts.size() > 1) {
                problem(
                        "only one queue sort plugin can be enabled",
                        sorts.get(1).position());
            }
            if (!problems.isEmpty()) {
                throw new ConfigurationException(problems);
            }
            Map<String, Integer> scoreWeights = new LinkedHashMap<>();
            for (String plugin : plugins.at(ExtensionPoint.SCORE).names()) {
                int weight = weights.getOrDefault(plugin, 0);
                scoreWeights.put(plugin, weight == 0 ? 1 : weight);
            }
            return new EffectivePlugins(
                    points, scoreWeights, plugins.unreserve().names());
        }

        private void check(Stage stage, PluginSet set) {
            Set<String> seen = new HashSet<>();
            for (PluginEntry entry : set.enabled()) {
                String name = GoText.quote(entry.name());
                if (!index.exists(entry.name())) {
                    problems.add(problemAt(stage.typeName() + " " + name + " does not exist", entry.position())
                            .suggesting(Suggestions.nearest(entry.name(), index.names())));
                } else if (!index.implementsPoint(entry.name(), stage.currentPoint())) {
                    problem("plugin " + name + " does not extend " + stage.typeName() + " plugin", entry.position());
                } else if (!seen.add(entry.name())) {
                    problem(
                            "plugin " + name + " already registered as " + GoText.quote(stage.typeName()),
                            entry.position());
                }
            }
        }

        private void problem(String message, SourcePosition position) {
            problems.add(problemAt(message, position));
        }

        private Problem problemAt(String message, SourcePosition position) {
            return Problem.at(ConfigurationProblemCode.PLUGINS, PREFIX + message, file, position);
        }
    }
}
