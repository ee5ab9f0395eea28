package io.policyscheduler.framework.insight.migrate;

import io.policyscheduler.engine.document.SourcePosition;
import io.policyscheduler.framework.config.PluginNames;
import io.policyscheduler.framework.insight.migrate.yaml.YamlMap;
import io.policyscheduler.framework.plugin.ExtensionPoint;
import java.util.List;

/**
 * Filters and scores listed at each of their points, which then have nothing else. The other points stay as the release has
 * them, except that reserving and binding volumes goes with their filter.
 */
final class PointsLayout {
    private static final String ONLY_LISTED = "only the plugins of the policy run";
    static final String KEEPS_FEATURES = "added: kubelets reject pods that require a feature which they lack";

    private static final int FIRST_DYNAMIC_RESOURCES = 26;

    private final Draft draft;
    private final PluginLists lists = new PluginLists();

    PointsLayout(Draft draft) {
        this.draft = draft;
    }

    YamlMap plugins() {
        boolean volumes = draft.plan.filters().containsKey(PluginNames.VOLUME_BINDING);
        claims();
        features();
        lists.disableAll(ExtensionPoint.PRE_FILTER, ONLY_LISTED);
        lists.disableAll(ExtensionPoint.FILTER, ONLY_LISTED);
        lists.disableAll(ExtensionPoint.PRE_SCORE, ONLY_LISTED);
        lists.disableAll(ExtensionPoint.SCORE, ONLY_LISTED);
        draft.plan.filters().forEach((plugin, items) -> {
            String remark = PolicyItems.remark(items);
            for (ExtensionPoint point : List.of(ExtensionPoint.PRE_FILTER, ExtensionPoint.FILTER)) {
                if (draft.plugins.implementsPoint(plugin, point)) {
                    lists.enable(point, plugin, remark);
                }
            }
        });
        draft.plan.scores().forEach((plugin, score) -> {
            String remark = PolicyItems.remark(score.items());
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
        return lists.yaml();
    }

    private void features() {
        if (draft.plugins.declaredFeaturesByDefault()) {
            draft.plan.filter(
                    PluginNames.NODE_DECLARED_FEATURES,
                    List.of(draft.items.at(KEEPS_FEATURES, SourcePosition.UNKNOWN)));
        }
    }

    /** The default reserve and preBind lists hold DynamicResources, which fails there for every pod without its preFilter. */
    private void claims() {
        if (draft.plugins.dynamicResourcesByDefault()) {
            PolicyItem added =
                    draft.items.at("added: its default reserve and preBind plugins need it", SourcePosition.UNKNOWN);
            draft.plan.filter(PluginNames.DYNAMIC_RESOURCES, List.of(added));
        } else if (draft.target.hasMultiPoint() && draft.atLeast(FIRST_DYNAMIC_RESOURCES)) {
            lists.disableEverywhere(
                    PluginNames.DYNAMIC_RESOURCES, "it fails without its preFilter plugin if its feature gate is on");
        }
    }
}
