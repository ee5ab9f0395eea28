package io.policyscheduler.framework.insight.migrate;

import io.policyscheduler.engine.document.SourceDocument.SourcePosition;
import io.policyscheduler.framework.config.PluginNames;
import io.policyscheduler.framework.config.ProfilePlugins;
import io.policyscheduler.framework.config.ProfilePlugins.PluginSet;
import io.policyscheduler.framework.insight.migrate.Finding.FindingCode;
import io.policyscheduler.framework.insight.migrate.Finding.Texts;
import io.policyscheduler.framework.insight.migrate.MigrationPlan.PlannedProfile;
import io.policyscheduler.framework.insight.migrate.PolicyEntries.PolicyItem;
import io.policyscheduler.framework.insight.migrate.YamlWriter.YamlList;
import io.policyscheduler.framework.insight.migrate.YamlWriter.YamlMap;
import io.policyscheduler.framework.plugin.ExtensionPoint;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Builds the {@code plugins} of a profile, list by list. */
final class ProfileLayout {
    private final Lists multiPoint = new Lists(new YamlList(), new YamlList());
    private final Map<ExtensionPoint, Lists> points = new EnumMap<>(ExtensionPoint.class);

    private record Lists(YamlList disabled, YamlList enabled) {
        void disable(String name, String remark) {
            disabled.add(YamlMap.block().put("name", name, remark));
        }

        void enable(String name, long weight, String remark, String weightRemark) {
            YamlMap entry = YamlMap.block().put("name", name, remark);
            if (weight > 0) {
                entry.put("weight", weight, weightRemark);
            }
            enabled.add(entry);
        }

        boolean isEmpty() {
            return disabled.isEmpty() && enabled.isEmpty();
        }

        YamlMap yaml() {
            YamlMap map = YamlMap.block();
            if (!disabled.isEmpty()) {
                map.put("disabled", disabled);
            }
            return enabled.isEmpty() ? map : map.put("enabled", enabled);
        }
    }

    private Lists at(ExtensionPoint point) {
        return points.computeIfAbsent(point, unused -> new Lists(new YamlList(), new YamlList()));
    }

    void disable(ExtensionPoint point, String name, String remark) {
        at(point).disable(name, remark);
    }

    void disableAll(ExtensionPoint point, String remark) {
        at(point).disable(PluginSet.ALL, remark);
    }

    void enable(ExtensionPoint point, String name, String remark) {
        at(point).enable(name, 0, remark, "");
    }

    void enableScore(String name, long weight, String remark) {
        at(ExtensionPoint.SCORE).enable(name, weight, remark, remark);
    }

    void disableEverywhere(String name, String remark) {
        multiPoint.disable(name, remark);
    }

    /** @param weight 0 for a plugin that does not score */
    void enableEverywhere(String name, long weight, String remark, String weightRemark) {
        multiPoint.enable(name, weight, remark, weightRemark);
    }

    /** The YAML; empty if there is no list. */
    YamlMap yaml() {
        YamlMap plugins = YamlMap.block();
        if (!multiPoint.isEmpty()) {
            plugins.put("multiPoint", multiPoint.yaml());
        }
        for (ExtensionPoint point : ProfilePlugins.POINTS) {
            Lists lists = points.get(point);
            if (lists != null && !lists.isEmpty()) {
                plugins.put(point.key(), lists.yaml());
            }
        }
        return plugins;
    }

    /** The default plugins of the release, with the scores and weights of the policy. */
    static final class DefaultsLayout {
        /** Default filters for pod fields that are newer than 1.17. */
        static final Set<String> BEYOND_1_17 = Set.of(
                PluginNames.POD_TOPOLOGY_SPREAD, PluginNames.DYNAMIC_RESOURCES, PluginNames.NODE_DECLARED_FEATURES);

        private final MigrationPlan draft;
        private final ProfileLayout lists = new ProfileLayout();

        DefaultsLayout(MigrationPlan draft) {
            this.draft = draft;
        }

        ProfileLayout plugins() {
            if (draft.options.acceptDefaults()) {
                return lists;
            }
            Map<String, PlannedProfile.Score> scores = draft.plan.scores();
            if (scores.isEmpty()) {
                String remark = "the policy has no priority with a plugin";
                lists.disableAll(ExtensionPoint.PRE_SCORE, remark);
                lists.disableAll(ExtensionPoint.SCORE, remark);
                return lists;
            }
            Map<String, Integer> defaults = draft.plugins.defaultScores();
            for (String plugin : defaults.keySet()) {
                if (!scores.containsKey(plugin)) {
                    halves(plugin).forEach(point -> lists.disable(point, plugin, "the policy has no such priority"));
                }
            }
            scores.forEach((plugin, score) -> {
                Integer usual = defaults.get(plugin);
                String remark = PolicyEntries.remark(score.items());
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
            return lists;
        }

        /** The scoring extension points of a plugin in the target release. */
        private List<ExtensionPoint> halves(String plugin) {
            return List.of(ExtensionPoint.PRE_SCORE, ExtensionPoint.SCORE).stream()
                    .filter(point -> draft.plugins.implementsPoint(plugin, point))
                    .toList();
        }

        /** Removes arguments that equal the defaults of the release. */
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
                        Texts.of(
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
                            ? Texts.of("same weights", "The weights of the release are those of the policy.")
                            : Texts.of(
                                            "the weights of the release",
                                            "The weights of the release replace those of the policy: " + text + ".")
                                    .fixedBy(
                                            "omit --accept-defaults",
                                            "Migrate without --accept-defaults to keep the weights."));
        }
    }

    /** Every plugin listed once with {@code multiPoint}, and disabled at the extension points that the policy does not use. */
    static final class MultiPointLayout {
        private static final List<ExtensionPoint> FILTERING = List.of(ExtensionPoint.PRE_FILTER, ExtensionPoint.FILTER);
        private static final List<ExtensionPoint> SCORING = List.of(ExtensionPoint.PRE_SCORE, ExtensionPoint.SCORE);

        private final MigrationPlan draft;
        private final ProfileLayout lists = new ProfileLayout();

        MultiPointLayout(MigrationPlan draft) {
            this.draft = draft;
        }

        ProfileLayout plugins() {
            Map<String, List<PolicyItem>> filters = draft.plan.filters();
            Map<String, PlannedProfile.Score> scores = draft.plan.scores();
            lists.disableEverywhere(PluginSet.ALL, "only the plugins below run");
            if (draft.plugins.exists(PluginNames.SCHEDULING_GATES)) {
                lists.enableEverywhere(
                        PluginNames.SCHEDULING_GATES, 0, "added: holds back pods with scheduling gates", "");
            }
            lists.enableEverywhere(PluginNames.PRIORITY_SORT, 0, "added: orders the queue", "");
            Set<String> plugins = new LinkedHashSet<>(filters.keySet());
            plugins.addAll(scores.keySet());
            for (String plugin : plugins) {
                PlannedProfile.Score score = scores.get(plugin);
                List<PolicyItem> filter = filters.get(plugin);
                String weightRemark = score == null ? "" : PolicyEntries.remark(score.items());
                String remark = filter == null ? weightRemark : PolicyEntries.remark(filter);
                lists.enableEverywhere(plugin, score == null ? 0 : score.weight(), remark, weightRemark);
            }
            lists.enableEverywhere(PluginNames.DEFAULT_PREEMPTION, 0, "added: preempts pods", "");
            lists.enableEverywhere(PluginNames.DEFAULT_BINDER, 0, "added: binds pods", "");
            if (draft.plugins.declaredFeaturesByDefault() && !plugins.contains(PluginNames.NODE_DECLARED_FEATURES)) {
                lists.enableEverywhere(PluginNames.NODE_DECLARED_FEATURES, 0, PointsLayout.KEEPS_FEATURES, "");
            }
            for (String plugin : plugins) {
                if (!filters.containsKey(plugin)) {
                    subtract(plugin, FILTERING, "off as a filter: no predicate of the policy needs it");
                }
            }
            if (scores.isEmpty()) {
                SCORING.forEach(point -> lists.disableAll(point, "the policy has no priority with a plugin"));
                return lists;
            }
            for (String plugin : plugins) {
                if (!scores.containsKey(plugin)) {
                    subtract(plugin, SCORING, "filters only: the policy has no such priority");
                }
            }
            return lists;
        }

        private void subtract(String plugin, List<ExtensionPoint> points, String remark) {
            points.stream()
                    .filter(point -> draft.plugins.implementsPoint(plugin, point))
                    .forEach(point -> lists.disable(point, plugin, remark));
        }
    }

    /**
     * Filters and scores listed at each of their extension points, without defaults. The other extension points have the defaults
     * of the release, except that reserving and binding volumes requires the volume filter.
     */
    static final class PointsLayout {
        private static final String ONLY_LISTED = "only the plugins of the policy run";
        static final String KEEPS_FEATURES = "added: kubelets reject pods that require a feature which they lack";

        private final MigrationPlan draft;
        private final ProfileLayout lists = new ProfileLayout();

        PointsLayout(MigrationPlan draft) {
            this.draft = draft;
        }

        ProfileLayout plugins() {
            boolean volumes = draft.plan.filters().containsKey(PluginNames.VOLUME_BINDING);
            claims();
            features();
            lists.disableAll(ExtensionPoint.PRE_FILTER, ONLY_LISTED);
            lists.disableAll(ExtensionPoint.FILTER, ONLY_LISTED);
            lists.disableAll(ExtensionPoint.PRE_SCORE, ONLY_LISTED);
            lists.disableAll(ExtensionPoint.SCORE, ONLY_LISTED);
            draft.plan.filters().forEach((plugin, items) -> {
                String remark = PolicyEntries.remark(items);
                for (ExtensionPoint point : List.of(ExtensionPoint.PRE_FILTER, ExtensionPoint.FILTER)) {
                    if (draft.plugins.implementsPoint(plugin, point)) {
                        lists.enable(point, plugin, remark);
                    }
                }
            });
            draft.plan.scores().forEach((plugin, score) -> {
                String remark = PolicyEntries.remark(score.items());
                if (draft.plugins.implementsPoint(plugin, ExtensionPoint.PRE_SCORE)) {
                    lists.enable(ExtensionPoint.PRE_SCORE, plugin, remark);
                }
                lists.enableScore(plugin, score.weight(), remark);
            });
            if (!volumes) {
                String remark = "the policy has no CheckVolumeBinding, and VolumeBinding fails without its filter";
                lists.disableAll(ExtensionPoint.RESERVE, remark);
                lists.disableAll(ExtensionPoint.PRE_BIND, remark);
            }
            return lists;
        }

        private void features() {
            if (draft.plugins.declaredFeaturesByDefault()
                    && !draft.plan.filters().containsKey(PluginNames.NODE_DECLARED_FEATURES)) {
                draft.plan.filter(
                        PluginNames.NODE_DECLARED_FEATURES,
                        List.of(draft.items.at(KEEPS_FEATURES, SourcePosition.UNKNOWN)));
            }
        }

        /**
         * Disables DynamicResources in the default reserve and preBind lists, where it fails for every pod without its preFilter.
         */
        private void claims() {
            if (draft.plan.filters().containsKey(PluginNames.DYNAMIC_RESOURCES)) {
                return;
            }
            if (draft.plugins.dynamicResourcesByDefault()) {
                PolicyItem added = draft.items.at(
                        "added: its default reserve and preBind plugins need it", SourcePosition.UNKNOWN);
                draft.plan.filter(PluginNames.DYNAMIC_RESOURCES, List.of(added));
            } else if (draft.target.hasMultiPoint() && draft.plugins.exists(PluginNames.DYNAMIC_RESOURCES)) {
                lists.disableEverywhere(
                        PluginNames.DYNAMIC_RESOURCES,
                        "it fails without its preFilter plugin if its feature gate is on");
            }
        }
    }
}
