package io.policyscheduler.framework.insight.migrate;

import io.policyscheduler.engine.algorithm.KnownAlgorithms;
import io.policyscheduler.engine.document.QualifiedNames;
import io.policyscheduler.framework.config.PluginNames;
import io.policyscheduler.framework.insight.migrate.yaml.YamlList;
import io.policyscheduler.framework.insight.migrate.yaml.YamlMap;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Turns everything that spreads pods into PodTopologySpread, or up to {@code v1beta1} into the plugins of that time. */
final class SpreadMapping {
    static final String SELECTOR_SPREAD = "SelectorSpreadPriority";
    private static final String HOSTNAME = "kubernetes.io/hostname";
    private static final String ZONE = "topology.kubernetes.io/zone";
    private static final int HOSTNAME_SKEW = 3;
    private static final int ZONE_SKEW = 5;

    private final Draft draft;

    SpreadMapping(Draft draft) {
        this.draft = draft;
    }

    void map() {
        List<String> bySelector = new ArrayList<>();
        for (String key : List.of(SELECTOR_SPREAD, KnownAlgorithms.SERVICE_SPREADING_PRIORITY)) {
            if (draft.hasPriority(key)) {
                bySelector.add(key);
            }
        }
        if (draft.target.hasOldPlugins()) {
            exact(bySelector);
        } else {
            merged(bySelector);
        }
    }

    private void exact(List<String> bySelector) {
        boolean even = draft.hasPriority(KnownAlgorithms.EVEN_PODS_SPREAD_PRIORITY);
        boolean byDefault = draft.hasDefaultFilters() && !even;
        for (String key : bySelector) {
            List<PolicyItem> items = draft.items.priority(key);
            draft.plan.score(
                    byDefault ? PluginNames.POD_TOPOLOGY_SPREAD : draft.plugins.selectorSpread(),
                    draft.weight(key),
                    items);
            if (byDefault) {
                bySystemDefaults(items);
            } else {
                draft.findings.exact(
                        FindingCode.M013,
                        items,
                        FindingTexts.of("", "The same. No release after 1.28 has the plugin SelectorSpread."));
            }
        }
        if (even) {
            even(true);
        }
        if (draft.hasPriority(KnownAlgorithms.SERVICE_AFFINITY)) {
            List<PolicyItem> items = draft.items.priority(KnownAlgorithms.SERVICE_AFFINITY);
            draft.plan.score(PluginNames.SERVICE_AFFINITY, draft.weight(KnownAlgorithms.SERVICE_AFFINITY), items);
            YamlList labels = new YamlList();
            draft.policy
                    .arguments()
                    .antiAffinityLabels()
                    .forEach(label -> labels.add(label, PolicyItems.remark(items)));
            draft.plan.arguments(PluginNames.SERVICE_AFFINITY).put("antiAffinityLabelsPreference", labels);
            draft.findings.exact(FindingCode.M012, items, Draft.LAST_IN_1_22);
        }
    }

    private void merged(List<String> bySelector) {
        List<PolicyItem> sharing = new ArrayList<>();
        List<String> weights = new ArrayList<>();
        for (String key : bySelector) {
            List<PolicyItem> items = draft.items.priority(key);
            draft.plan.score(PluginNames.POD_TOPOLOGY_SPREAD, draft.weight(key), items);
            bySystemDefaults(items);
            sharing.addAll(items);
            weights.add(String.valueOf(draft.weight(key)));
        }
        boolean even = draft.hasPriority(KnownAlgorithms.EVEN_PODS_SPREAD_PRIORITY);
        if (even) {
            even(bySelector.isEmpty());
            sharing.addAll(draft.items.priority(KnownAlgorithms.EVEN_PODS_SPREAD_PRIORITY));
            weights.add(String.valueOf(draft.weight(KnownAlgorithms.EVEN_PODS_SPREAD_PRIORITY)));
        }
        if (draft.hasPriority(KnownAlgorithms.SERVICE_AFFINITY) && byService(bySelector)) {
            sharing.addAll(draft.items.priority(KnownAlgorithms.SERVICE_AFFINITY));
            weights.add(String.valueOf(draft.weight(KnownAlgorithms.SERVICE_AFFINITY)));
        } else if (!bySelector.isEmpty()) {
            draft.plan
                    .arguments(PluginNames.POD_TOPOLOGY_SPREAD)
                    .put("defaultingType", "System", PolicyItems.remark(draft.items.priority(bySelector.get(0))));
        }
        if (weights.size() > 1) {
            draft.findings.warn(
                    FindingCode.M015,
                    sharing,
                    FindingTexts.of(
                            "PodTopologySpread has " + String.join(" + ", weights),
                            "PodTopologySpread computes one score for them with the sum of their weights ("
                                    + String.join(" + ", weights) + "). v1.17 adds several scores."));
        }
    }

    /** Whether a constraint came out of it. */
    private boolean byService(List<String> bySelector) {
        List<PolicyItem> items = draft.items.priority(KnownAlgorithms.SERVICE_AFFINITY);
        Set<String> labels = new LinkedHashSet<>();
        List<String> dropped = new ArrayList<>();
        for (String label : draft.policy.arguments().antiAffinityLabels()) {
            if (QualifiedNames.problems(label).isEmpty()) {
                labels.add(label);
            } else {
                dropped.add('"' + label + '"');
            }
        }
        if (!dropped.isEmpty()) {
            draft.findings.info(
                    FindingCode.M009,
                    items,
                    FindingTexts.of(
                            "invalid labels are dropped",
                            "The labels " + dropped + " are dropped because no node can have them."));
        }
        if (labels.isEmpty()) {
            return false;
        }
        draft.plan.score(PluginNames.POD_TOPOLOGY_SPREAD, draft.weight(KnownAlgorithms.SERVICE_AFFINITY), items);
        YamlList constraints = new YamlList();
        Set<String> keys = new LinkedHashSet<>(labels);
        if (!bySelector.isEmpty()) {
            String remark = PolicyItems.remark(draft.items.priority(bySelector.get(0)));
            constraint(constraints, HOSTNAME, HOSTNAME_SKEW, remark);
            constraint(constraints, ZONE, ZONE_SKEW, remark);
            labels.remove(HOSTNAME);
            labels.remove(ZONE);
            keys.add(HOSTNAME);
            keys.add(ZONE);
        }
        labels.forEach(label -> constraint(constraints, label, 1, PolicyItems.remark(items)));
        draft.plan
                .arguments(PluginNames.POD_TOPOLOGY_SPREAD)
                .put("defaultingType", "List", PolicyItems.remark(items))
                .put("defaultConstraints", constraints);
        draft.findings.warn(
                FindingCode.M012,
                items,
                FindingTexts.of(
                                "spreads by another formula",
                                "Default constraints replace the share of the service's pods. A node without one of the labels "
                                        + keys
                                        + " scores 0. Default constraints do not apply to pods that have their own. All services"
                                        + " and the controller select the pods. The score runs between the fewest and the most"
                                        + " pods (2 and 0 pods: 57 and 100; in v1.17, 0 and 100).")
                        .fixedBy(
                                "label all nodes",
                                "Label all nodes, or remove a constraint whose label some nodes do not have."));
        return true;
    }

    private static void constraint(YamlList constraints, String key, int skew, String remark) {
        constraints.add(
                YamlMap.flow().put("maxSkew", skew).put("topologyKey", key).put("whenUnsatisfiable", "ScheduleAnyway"),
                remark);
    }

    private void bySystemDefaults(List<PolicyItem> items) {
        boolean older = draft.atLeast(23) && !draft.atLeast(29);
        String fix = "Give the nodes topology.kubernetes.io/zone labels. Beta labels and region labels are not read."
                + (older ? " v1beta3 can still enable SelectorSpread at preScore and score." : "")
                + (draft.target.hasOldPlugins() ? " SelectorSpread can still be enabled at preScore and score." : "");
        draft.findings.warn(
                FindingCode.M013,
                items,
                FindingTexts.of(
                                "spreads by another formula",
                                "The system defaults of PodTopologySpread replace the formula node/3 + 2·zone/3 (0, 1, 2, 0 pods"
                                        + " in zones a, a, b, b: 66, 50, 0, 33 become 100, 83, 58, 83). Pods on all nodes"
                                        + " count. The defaults do not apply to pods that have their own constraints, or that"
                                        + " have no service and no controller.")
                        .fixedBy("label nodes with zones", fix));
    }

    private void even(boolean alone) {
        List<PolicyItem> items = draft.items.priority(KnownAlgorithms.EVEN_PODS_SPREAD_PRIORITY);
        draft.plan.score(
                PluginNames.POD_TOPOLOGY_SPREAD, draft.weight(KnownAlgorithms.EVEN_PODS_SPREAD_PRIORITY), items);
        if (alone && draft.atLeast(20)) {
            draft.plan
                    .arguments(PluginNames.POD_TOPOLOGY_SPREAD)
                    .put("defaultingType", "List", PolicyItems.remark(items))
                    .put("defaultConstraints", new YamlList(), "no defaults: only the constraints of pods score");
        }
        draft.findings.warn(
                FindingCode.M014,
                items,
                FindingTexts.of(
                        "another formula",
                        "The formula differs from the alpha version of 1.17, and only the pod's namespace counts. Counts of 0, 1,"
                                + " and 3 score 100, 60, and 0; in v1.17, 100, 75, and 25."));
    }
}
