package io.policyscheduler.framework.insight.migrate;

import io.policyscheduler.engine.algorithm.KnownAlgorithms;
import io.policyscheduler.framework.config.PluginNames;
import io.policyscheduler.framework.insight.migrate.yaml.YamlList;
import java.util.List;

/** Finds the filter plugins of the predicates, in the order in which v1.17 evaluates them. */
final class FilterMapping {
    private final Draft draft;

    FilterMapping(Draft draft) {
        this.draft = draft;
    }

    void map() {
        for (String key : draft.policy.evaluationOrder()) {
            if (draft.policy.rules().predicates().containsKey(key)) {
                rule(key);
            } else {
                predicate(key, draft.items.predicate(key));
            }
        }
        if (draft.policy.predicates().containsKey(KnownAlgorithms.POD_FITS_PORTS)) {
            draft.findings.exact(
                    FindingCode.M033,
                    draft.items.predicate(KnownAlgorithms.POD_FITS_PORTS),
                    "dropped: v1.17 accepts it and never runs it");
        }
    }

    private void predicate(String key, List<PolicyItem> items) {
        switch (key) {
            case KnownAlgorithms.CHECK_NODE_LABEL_PRESENCE -> new LabelMapping(draft).presence(items);
            case KnownAlgorithms.CHECK_SERVICE_AFFINITY -> serviceAffinity(items);
            case "MaxEBSVolumeCount", "MaxGCEPDVolumeCount", "MaxAzureDiskVolumeCount", "MaxCinderVolumeCount" ->
                treeVolumes(key, items);
            case "MaxCSIVolumeCountPred" -> {
                plain(key, items);
                draft.findings.info(
                        FindingCode.M021,
                        items,
                        "limits come from CSINode objects only; 1.17 also reads attachable-volumes-csi-... of the node."
                                + " A node without CSINode has no limit");
            }
            case KnownAlgorithms.GENERAL_PREDICATES, KnownAlgorithms.POD_FITS_RESOURCES -> {
                plain(key, items);
                draft.findings.info(FindingCode.M023, items, resources());
            }
            case "NoDiskConflict", "CheckVolumeBinding", "NoVolumeZoneConflict" -> {
                plain(key, items);
                draft.findings.info(FindingCode.M022, items, volumes(key));
            }
            case KnownAlgorithms.EVEN_PODS_SPREAD -> {
                plain(key, items);
                draft.findings.warn(
                        FindingCode.M014,
                        items,
                        "counts pods of the pod's namespace that are not terminating; the alpha of 1.17 counts all"
                                + " namespaces and terminating pods",
                        "");
            }
            case "MatchInterPodAffinity" -> {
                plain(key, items);
                draft.findings.info(
                        FindingCode.M025,
                        items,
                        "the same for pods without namespaceSelector and matchLabelKeys, which 1.17 does not know");
            }
            default -> other(key, items);
        }
    }

    private void other(String key, List<PolicyItem> items) {
        if (KnownAlgorithms.filterPlugins(key).isEmpty()) {
            draft.lostPredicate(FindingCode.M006, key, "an algorithm that Kubernetes does not have", "");
            return;
        }
        plain(key, items);
        draft.findings.exact(FindingCode.M025, items, "the same");
    }

    private void plain(String key, List<PolicyItem> items) {
        KnownAlgorithms.filterPlugins(key).forEach(plugin -> draft.plan.filter(plugin, items));
    }

    private void rule(String key) {
        draft.kept.predicate(key);
        draft.findings.warn(
                FindingCode.M005,
                draft.items.predicate(key),
                "a rule runs behind an extender: " + KeptAlgorithms.FILTER_DIFFERENCES,
                "");
    }

    private void serviceAffinity(List<PolicyItem> items) {
        List<String> labels = draft.policy.arguments().affinityLabels();
        if (labels.isEmpty()) {
            draft.findings.exact(FindingCode.M009, items, "dropped: serviceAffinity without labels has no effect");
        } else if (draft.target.hasOldPlugins()) {
            draft.plan.filter(PluginNames.SERVICE_AFFINITY, items);
            YamlList list = new YamlList();
            labels.forEach(label -> list.add(label, PolicyItems.remark(items)));
            draft.plan.arguments(PluginNames.SERVICE_AFFINITY).put("affinityLabels", list);
            draft.findings.exact(FindingCode.M001, items, "the same; no release after 1.22 has the plugin");
        } else {
            String keys = String.join(", topologyKey: ", labels);
            draft.lostPredicate(
                    FindingCode.M001,
                    KnownAlgorithms.CHECK_SERVICE_AFFINITY,
                    "serviceAffinity " + labels + " has no successor",
                    "give the workloads a required podAffinity on their own labels with topologyKey: " + keys);
        }
    }

    /** Volumes of drivers that were part of Kubernetes, which later count as CSI volumes. */
    private void treeVolumes(String key, List<PolicyItem> items) {
        String own = KnownAlgorithms.filterPlugins(key).get(0);
        boolean exists = draft.plugins.exists(own);
        draft.plan.filter(exists ? own : PluginNames.NODE_VOLUME_LIMITS, items);
        String limits =
                "limits come from CSINode objects; KUBE_MAX_PD_VOLS is not read, a node without CSINode has no limit";
        draft.findings.info(
                FindingCode.M021,
                items,
                exists
                        ? "the plugin " + own + " counts in-tree volumes; of migrated ones " + limits
                        : "folded into NodeVolumeLimits, which counts these volumes as CSI volumes: " + limits);
    }

    private String resources() {
        String zero = draft.atLeast(28)
                ? "a request of 0 fits a node that has too much of the resource already, where 1.17 says Insufficient; "
                : "";
        return zero
                + "requests are summed before rounding, 1.17 rounds each container up; all resources that are missing"
                + " are reported, not the first alone";
    }

    private String volumes(String key) {
        return switch (key) {
            case "NoDiskConflict" ->
                draft.atLeast(22)
                        ? "also rejects a second pod with a ReadWriteOncePod claim and pods whose claim is missing"
                        : "the same";
            case "CheckVolumeBinding" ->
                "a pod whose claim is missing, or immediate and unbound, is rejected as unresolvable; 1.17 ends the attempt"
                        + " with an error. Free storage of CSI drivers counts too";
            default ->
                "topology.kubernetes.io labels count beside the beta ones; immediate unbound claims are rejected, where"
                        + " 1.17 gives an error";
        };
    }
}
