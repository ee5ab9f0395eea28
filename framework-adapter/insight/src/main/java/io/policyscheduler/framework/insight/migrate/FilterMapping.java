package io.policyscheduler.framework.insight.migrate;

import io.policyscheduler.engine.algorithm.KnownAlgorithms;
import io.policyscheduler.engine.cluster.release.SchedulerChange;
import io.policyscheduler.engine.document.SourceDocument.SourcePosition;
import io.policyscheduler.framework.config.PluginNames;
import io.policyscheduler.framework.insight.migrate.Finding.FindingCode;
import io.policyscheduler.framework.insight.migrate.Finding.Texts;
import io.policyscheduler.framework.insight.migrate.PolicyEntries.PolicyItem;
import io.policyscheduler.framework.insight.migrate.YamlWriter.YamlList;
import io.policyscheduler.framework.plugin.ExtensionPoint;
import java.util.ArrayList;
import java.util.List;

/** Maps predicates to filter plugins, in the evaluation order of v1.17. */
final class FilterMapping {
    private static final String CSI_NODE_LIMITS = "limits come from CSINode";

    private final MigrationPlan draft;

    FilterMapping(MigrationPlan draft) {
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
                    Texts.of("dropped: never ran", "dropped: v1.17 accepts it and never runs it"));
        }
        keepMandatory();
    }

    /**
     * Keeps plugins that pods of the target release depend on, as this program does for policies. {@code --strict-v1.17} leaves
     * them out, as it does when the policy runs.
     */
    private void keepMandatory() {
        if (draft.policy.strictV117()) {
            return;
        }
        List<String> retained = new ArrayList<>();
        draft.plugins.mandatory().forEach((plugin, remark) -> {
            if (!draft.plan.filters().containsKey(plugin)) {
                retained.add(plugin);
                draft.plan.filter(plugin, List.of(draft.items.at(remark, SourcePosition.UNKNOWN)));
            }
        });
        if (!retained.isEmpty()) {
            draft.findings.exact(
                    FindingCode.M046,
                    List.of(),
                    Texts.of(
                            "added: " + String.join(", ", retained),
                            "The policy has no predicate for " + String.join(", ", retained)
                                    + ". The configuration enables them, because newer pod fields need them."
                                    + " Policies that run in this program have them, too."));
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
                        Texts.of(
                                CSI_NODE_LIMITS,
                                "Limits come from CSINode objects only. v1.17 also reads attachable-volumes-csi-... of the"
                                        + " node. A node without a CSINode object has no limit."));
            }
            case KnownAlgorithms.GENERAL_PREDICATES, KnownAlgorithms.POD_FITS_RESOURCES -> {
                plain(key, items);
                draft.findings.info(FindingCode.M023, items, Texts.of("rounds the sum of requests", resources()));
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
                        Texts.of(
                                "counts fewer pods",
                                "Counts the pods of the pod's namespace that are not terminating. The alpha version of 1.17"
                                        + " counts all namespaces and terminating pods."));
            }
            case "MatchInterPodAffinity" -> {
                plain(key, items);
                draft.findings.info(
                        FindingCode.M025,
                        items,
                        Texts.of(
                                "newer fields take effect",
                                "The plugin does the same for pods without namespaceSelector and matchLabelKeys. v1.17 has no such fields."));
            }
            default -> other(key, items);
        }
    }

    private void other(String key, List<PolicyItem> items) {
        if (KnownAlgorithms.filterPlugins(key).isEmpty()) {
            draft.lostPredicate(FindingCode.M006, key, MigrationPlan.UNKNOWN_ALGORITHM);
            return;
        }
        plain(key, items);
        draft.findings.exact(FindingCode.M025, items, MigrationPlan.SAME);
    }

    private void plain(String key, List<PolicyItem> items) {
        KnownAlgorithms.filterPlugins(key).forEach(plugin -> draft.plan.filter(plugin, items));
    }

    private void rule(String key) {
        draft.retained.predicate(key);
        draft.findings.warn(
                FindingCode.M005,
                draft.items.predicate(key),
                Texts.of(
                                "runs after all filters",
                                "a rule runs behind an extender. " + ExtenderAlgorithms.FILTER_DIFFERENCES)
                        .fixedBy(ExtenderAlgorithms.RUN_EXTENDER, ExtenderAlgorithms.RUN_EXTENDER_IN_FULL));
    }

    private void serviceAffinity(List<PolicyItem> items) {
        List<String> labels = draft.policy.arguments().affinityLabels();
        if (labels.isEmpty()) {
            draft.findings.exact(
                    FindingCode.M009,
                    items,
                    Texts.of("dropped: has no labels", "dropped: serviceAffinity without labels has no effect"));
        } else if (draft.target.hasOldPlugins()) {
            draft.plan.filter(PluginNames.SERVICE_AFFINITY, items);
            YamlList list = new YamlList();
            labels.forEach(label -> list.add(label, PolicyEntries.remark(items)));
            draft.plan.arguments(PluginNames.SERVICE_AFFINITY).put("affinityLabels", list);
            draft.findings.exact(FindingCode.M001, items, MigrationPlan.LAST_IN_1_22);
        } else {
            String keys = String.join(", topologyKey: ", labels);
            draft.lostPredicate(
                    FindingCode.M001,
                    KnownAlgorithms.CHECK_SERVICE_AFFINITY,
                    Texts.of(
                                    "services can be split",
                                    "serviceAffinity " + labels
                                            + " has no successor. Pods of a service can run on nodes with"
                                            + " different values of these labels.")
                            .fixedBy(
                                    "required podAffinity",
                                    "Give the workloads a required podAffinity on their own labels with topologyKey: "
                                            + keys + "."));
        }
    }

    /** Limits of in-tree volumes, which later count as CSI volumes. */
    private void treeVolumes(String key, List<PolicyItem> items) {
        String own = KnownAlgorithms.filterPlugins(key).get(0);
        boolean exists = draft.plugins.exists(own);
        draft.plan.filter(exists ? own : PluginNames.NODE_VOLUME_LIMITS, items);
        String limits =
                "limits come from CSINode objects. KUBE_MAX_PD_VOLS is not read. A node without a CSINode object has no limit.";
        draft.findings.info(
                FindingCode.M021,
                items,
                Texts.of(
                        CSI_NODE_LIMITS,
                        exists
                                ? "The plugin " + own + " counts in-tree volumes. For migrated volumes, " + limits
                                : "NodeVolumeLimits counts these volumes as CSI volumes. Their " + limits));
    }

    private String resources() {
        String zero = draft.has(SchedulerChange.UNREQUESTED_RESOURCES)
                ? "A pod that requests nothing of a resource fits on a node that is overcommitted in it. v1.17 rejects the node. "
                : "";
        return zero
                + "Requests are rounded after they are summed. v1.17 rounds up each container. All missing resources are"
                + " reported, not only the first.";
    }

    private Texts volumes(String key) {
        return switch (key) {
            case "NoDiskConflict" ->
                draft.plugins.implementsPoint(PluginNames.VOLUME_RESTRICTIONS, ExtensionPoint.PRE_FILTER)
                        ? Texts.of(
                                "checks volume claims, too",
                                "Also rejects a second pod with a ReadWriteOncePod claim, and pods whose claim is missing.")
                        : MigrationPlan.SAME;
            case "CheckVolumeBinding" ->
                Texts.of(
                        "missing claims reject the pod",
                        "Rejects a pod whose claim is missing, or has the mode Immediate and is not bound. In v1.17, the"
                                + " attempt fails with an error. Free storage of CSI drivers counts, too.");
            default ->
                Texts.of(
                        "reads the newer zone labels, too",
                        "The topology.kubernetes.io labels count in addition to the beta labels. A pod with an unbound claim of"
                                + " the mode Immediate is rejected. In v1.17, the attempt fails with an error.");
        };
    }
}
