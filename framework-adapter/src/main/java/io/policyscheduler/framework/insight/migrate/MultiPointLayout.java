package io.policyscheduler.framework.insight.migrate;

import io.policyscheduler.framework.config.PluginNames;
import io.policyscheduler.framework.config.ProfilePlugins.PluginSet;
import io.policyscheduler.framework.insight.migrate.yaml.YamlMap;
import io.policyscheduler.framework.plugin.ExtensionPoint;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Every plugin listed once for all its points, and then the halves taken away that the policy does not have. */
final class MultiPointLayout {
    private static final List<ExtensionPoint> FILTERING = List.of(ExtensionPoint.PRE_FILTER, ExtensionPoint.FILTER);
    private static final List<ExtensionPoint> SCORING = List.of(ExtensionPoint.PRE_SCORE, ExtensionPoint.SCORE);

    private final Draft draft;
    private final PluginLists lists = new PluginLists();

    MultiPointLayout(Draft draft) {
        this.draft = draft;
    }

    YamlMap plugins() {
        Map<String, List<PolicyItem>> filters = draft.plan.filters();
        Map<String, PlannedProfile.Score> scores = draft.plan.scores();
        lists.disableEverywhere(PluginSet.ALL, "only the plugins of the policy and the required plugins run");
        if (draft.plugins.exists(PluginNames.SCHEDULING_GATES)) {
            lists.enableEverywhere(PluginNames.SCHEDULING_GATES, 0, "added: holds back pods with scheduling gates", "");
        }
        lists.enableEverywhere(PluginNames.PRIORITY_SORT, 0, "added: orders the queue", "");
        Set<String> plugins = new LinkedHashSet<>(filters.keySet());
        plugins.addAll(scores.keySet());
        for (String plugin : plugins) {
            PlannedProfile.Score score = scores.get(plugin);
            List<PolicyItem> filter = filters.get(plugin);
            String weightRemark = score == null ? "" : PolicyItems.remark(score.items());
            String remark = filter == null ? weightRemark : PolicyItems.remark(filter);
            lists.enableEverywhere(plugin, score == null ? 0 : score.weight(), remark, weightRemark);
        }
        lists.enableEverywhere(PluginNames.DEFAULT_PREEMPTION, 0, "added: preempts pods", "");
        lists.enableEverywhere(PluginNames.DEFAULT_BINDER, 0, "added: binds pods", "");
        if (draft.plugins.declaredFeaturesByDefault()) {
            lists.enableEverywhere(PluginNames.NODE_DECLARED_FEATURES, 0, PointsLayout.KEEPS_FEATURES, "");
        }
        for (String plugin : plugins) {
            if (!filters.containsKey(plugin)) {
                subtract(plugin, FILTERING, "scores only: the policy has no such predicate");
            }
        }
        if (scores.isEmpty()) {
            SCORING.forEach(point -> lists.disableAll(point, "the policy has no priority with a plugin"));
            return lists.yaml();
        }
        for (String plugin : plugins) {
            if (!scores.containsKey(plugin)) {
                subtract(plugin, SCORING, "filters only: the policy has no such priority");
            }
        }
        return lists.yaml();
    }

    private void subtract(String plugin, List<ExtensionPoint> points, String remark) {
        points.stream()
                .filter(point -> draft.plugins.implementsPoint(plugin, point))
                .forEach(point -> lists.disable(point, plugin, remark));
    }
}
