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
                        FindingCode.M013, items, "the same; no release after 1.28 has the plugin SelectorSpread");
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
            draft.findings.exact(FindingCode.M012, items, "the same; no release after 1.22 has the plugin");
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
                    "PodTopologySpread has their weights together (" + String.join(" + ", weights)
                            + ") and one score, where 1.17 adds up several",
                    "");
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
            draft.findings.info(FindingCode.M009, items, "labels " + dropped + " dropped: no node can have them");
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
                "default constraints instead of the share of the service's pods: a node without one of the labels "
                        + keys
                        + " gets 0, pods with constraints of their own get none of it, pods are selected by all services and"
                        + " the controller, and the score runs between fewest and most pods (pods 2 and 0: 57 and 100, in"
                        + " 1.17 0 and 100)",
                "remove a constraint whose label not all nodes have");
        return true;
    }

    private static void constraint(YamlList constraints, String key, int skew, String remark) {
        constraints.add(
                YamlMap.flow().put("maxSkew", skew).put("topologyKey", key).put("whenUnsatisfiable", "ScheduleAnyway"),
                remark);
    }

    private void bySystemDefaults(List<PolicyItem> items) {
        boolean older = draft.atLeast(23) && !draft.atLeast(29);
        String wayOut = "give the nodes topology.kubernetes.io/zone labels; beta labels and regions are not read"
                + (older ? "; v1beta3 can still enable SelectorSpread at preScore and score" : "")
                + (draft.target.hasOldPlugins() ? "; SelectorSpread can still be enabled at preScore and score" : "");
        draft.findings.warn(
                FindingCode.M013,
                items,
                "system defaults of PodTopologySpread instead of node/3 + 2·zone/3 (0, 1, 2, 0 pods in zones a, a, b, b:"
                        + " 66, 50, 0, 33 become 100, 83, 58, 83); pods on all nodes count, pods with constraints of their own"
                        + " or without service and controller get none of it",
                wayOut);
    }

    private void even(boolean alone) {
        List<PolicyItem> items = draft.items.priority(KnownAlgorithms.EVEN_PODS_SPREAD_PRIORITY);
        draft.plan.score(
                PluginNames.POD_TOPOLOGY_SPREAD, draft.weight(KnownAlgorithms.EVEN_PODS_SPREAD_PRIORITY), items);
        if (alone && draft.atLeast(20)) {
            draft.plan
                    .arguments(PluginNames.POD_TOPOLOGY_SPREAD)
                    .put("defaultingType", "List", PolicyItems.remark(items))
                    .put("defaultConstraints", new YamlList(), "no defaults: only constraints of pods score");
        }
        draft.findings.warn(
                FindingCode.M014,
                items,
                "another formula than the alpha of 1.17, of the pod's namespace only: counts 0, 1, 3 score 100, 60, 0, in 1.17"
                        + " 100, 75, 25",
                "");
    }
}
