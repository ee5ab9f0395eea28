package io.policyscheduler.framework.config;

import io.policyscheduler.engine.document.GoText;
import io.policyscheduler.engine.document.Problem;
import io.policyscheduler.engine.document.SourcePosition;
import io.policyscheduler.framework.plugin.ExtensionPoint;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Plugins as 1.17 takes them from a {@code v1alpha1} configuration: {@code disabled} has no effect, and a plugin has one weight,
 * that of its last mention. Mirrors {@code NewFramework} of {@code pkg/scheduler/framework/v1alpha1}.
 *
 * <p>{@code postFilter} of that release runs before scoring and only informs; it is today's preScore.
 */
final class V1alpha1Plugins {
    private static final String PREFIX = "error initializing the scheduling framework: ";

    /** A point as 1.17 knows it; {@code point} is null for unreserve. */
    private record Stage(String typeName, @Nullable ExtensionPoint point) {
        static Stage of(ExtensionPoint point) {
            return new Stage(point.typeName(), point);
        }

        PluginSet in(ProfilePlugins plugins) {
            return point == null ? plugins.unreserve() : plugins.at(point);
        }

        /** Unreserve became part of reserve. */
        ExtensionPoint wanted() {
            return point == null ? ExtensionPoint.RESERVE : point;
        }
    }

    /** The order in which 1.17 looks at the points; the last mention of a plugin decides its weight. */
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
            problem("only one queue sort plugin can be enabled", sorts.get(1).position());
        }
        if (!problems.isEmpty()) {
            throw new ConfigurationException(problems);
        }
        Map<String, Integer> scoreWeights = new LinkedHashMap<>();
        for (String plugin : plugins.at(ExtensionPoint.SCORE).names()) {
            int weight = weights.getOrDefault(plugin, 0);
            scoreWeights.put(plugin, weight == 0 ? 1 : weight);
        }
        return new EffectivePlugins(points, scoreWeights, plugins.unreserve().names());
    }

    private void check(Stage stage, PluginSet set) {
        Set<String> seen = new HashSet<>();
        for (PluginEntry entry : set.enabled()) {
            String name = GoText.quote(entry.name());
            if (!index.exists(entry.name())) {
                problem(stage.typeName() + " " + name + " does not exist", entry.position());
            } else if (!index.implementsPoint(entry.name(), stage.wanted())) {
                problem("plugin " + name + " does not extend " + stage.typeName() + " plugin", entry.position());
            } else if (!seen.add(entry.name())) {
                problem(
                        "plugin " + name + " already registered as " + GoText.quote(stage.typeName()),
                        entry.position());
            }
        }
    }

    private void problem(String message, SourcePosition position) {
        problems.add(Problem.at(ConfigurationProblemCode.PLUGINS, PREFIX + message, file, position));
    }
}
