package io.policyscheduler.framework.insight.migrate;

import io.policyscheduler.framework.config.PluginNames;
import io.policyscheduler.framework.insight.migrate.yaml.YamlMap;
import io.policyscheduler.framework.insight.migrate.yaml.YamlWriter;
import io.policyscheduler.framework.plugin.ExtensionPoint;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The plugins that the release runs by itself, with the scores and weights of the policy. */
final class DefaultsLayout {
    /** Default filters for what pods could not ask for in 1.17. */
    static final Set<String> BEYOND_1_17 =
            Set.of(PluginNames.POD_TOPOLOGY_SPREAD, PluginNames.DYNAMIC_RESOURCES, PluginNames.NODE_DECLARED_FEATURES);

    private final Draft draft;
    private final PluginLists lists = new PluginLists();

    DefaultsLayout(Draft draft) {
        this.draft = draft;
    }

    YamlMap plugins() {
        if (draft.options.acceptDefaults()) {
            return lists.yaml();
        }
        Map<String, PlannedProfile.Score> scores = draft.plan.scores();
        if (scores.isEmpty()) {
            String remark = "the policy has no priority with a plugin";
            lists.disableAll(ExtensionPoint.PRE_SCORE, remark);
            lists.disableAll(ExtensionPoint.SCORE, remark);
            return lists.yaml();
        }
        Map<String, Integer> defaults = draft.plugins.defaultScores();
        for (String plugin : defaults.keySet()) {
            if (!scores.containsKey(plugin)) {
                halves(plugin).forEach(point -> lists.disable(point, plugin, "the policy has no such priority"));
            }
        }
        scores.forEach((plugin, score) -> {
            Integer usual = defaults.get(plugin);
            String remark = PolicyItems.remark(score.items());
            if (usual == null) {
                halves(plugin).stream()
                        .filter(point -> point == ExtensionPoint.PRE_SCORE)
                        .forEach(point -> lists.enable(point, plugin, remark));
                lists.enableScore(plugin, score.weight(), remark);
            } else if (usual != score.weight()) {
                if (draft.target.hasOldPlugins()) {
                    lists.disable(ExtensionPoint.SCORE, plugin, "enabled again below with another weight");
                }
                lists.enableScore(plugin, score.weight(), remark);
            }
        });
        return lists.yaml();
    }

    /** The scoring points that a plugin has in the target release. */
    private List<ExtensionPoint> halves(String plugin) {
        return List.of(ExtensionPoint.PRE_SCORE, ExtensionPoint.SCORE).stream()
                .filter(point -> draft.plugins.implementsPoint(plugin, point))
                .toList();
    }

    /** Leaves out arguments that the release has by itself. */
    void pruneArguments() {
        Map<String, YamlMap> arguments = draft.plan.arguments();
        YamlMap fit = arguments.get(PluginNames.NODE_RESOURCES_FIT);
        if (fit != null && YamlWriter.inline(fit).contains("type: LeastAllocated")) {
            arguments.remove(PluginNames.NODE_RESOURCES_FIT);
        }
        YamlMap spread = arguments.get(PluginNames.POD_TOPOLOGY_SPREAD);
        if (spread != null && YamlWriter.inline(spread).equals("{defaultingType: System}")) {
            arguments.remove(PluginNames.POD_TOPOLOGY_SPREAD);
        }
    }

    /** Reports the additional filters of the release and the changed weights. */
    void report() {
        List<String> more = draft.plugins.defaultFilters().stream()
                .filter(plugin -> !draft.plan.filters().containsKey(plugin))
                .toList();
        if (!more.isEmpty()) {
            draft.findings.warn(
                    FindingCode.M042,
                    List.of(),
                    FindingTexts.of(
                            more.size() + (more.size() == 1 ? " more filter runs" : " more filters run"),
                            "The default profile also filters with " + String.join(", ", more)
                                    + ". The pod fields that they read now take effect. v1.17 ignores them."));
        }
        if (!draft.options.acceptDefaults()) {
            return;
        }
        StringBuilder text = new StringBuilder();
        draft.plugins.defaultScores().forEach((plugin, weight) -> {
            PlannedProfile.Score score = draft.plan.scores().get(plugin);
            long before = score == null ? 0 : score.weight();
            if (before != weight) {
                text.append(text.length() == 0 ? "" : ", ")
                        .append(plugin)
                        .append(' ')
                        .append(before)
                        .append(" -> ")
                        .append(weight);
            }
        });
        draft.plan.scores().forEach((plugin, score) -> {
            if (!draft.plugins.defaultScores().containsKey(plugin)) {
                text.append(text.length() == 0 ? "" : ", ")
                        .append(plugin)
                        .append(' ')
                        .append(score.weight())
                        .append(" -> 0");
            }
        });
        draft.findings.warn(
                FindingCode.M045,
                List.of(),
                text.length() == 0
                        ? FindingTexts.of("same weights", "The weights of the release are those of the policy.")
                        : FindingTexts.of(
                                        "the weights of the release",
                                        "The weights of the release replace those of the policy: " + text + ".")
                                .fixedBy(
                                        "omit --accept-defaults",
                                        "Migrate without --accept-defaults to keep the weights."));
    }
}
