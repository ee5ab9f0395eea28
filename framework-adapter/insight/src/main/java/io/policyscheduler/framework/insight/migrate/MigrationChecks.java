package io.policyscheduler.framework.insight.migrate;

import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.document.SourceDocument.SourcePosition;
import io.policyscheduler.engine.policy.Policy;
import io.policyscheduler.framework.config.PluginNames;
import io.policyscheduler.framework.insight.migrate.Finding.FindingCode;
import io.policyscheduler.framework.insight.migrate.Finding.Texts;
import io.policyscheduler.framework.insight.migrate.Migrator.Migration.Layout;
import java.util.List;

/** Reports the changes that are not about a single entry of the policy. */
final class MigrationChecks {
    private static final String USE_CONFIG = "use --config";
    private static final String CLIENT_CONNECTION =
            "Add clientConnection: {kubeconfig: FILE} to the configuration to replace --kubeconfig.";

    private final MigrationPlan draft;
    private final Layout layout;

    MigrationChecks(MigrationPlan draft, Layout layout) {
        this.draft = draft;
        this.layout = layout;
    }

    void report() {
        settings();
        emptyLists();
        additions();
        if (layout != Layout.DEFAULTS) {
            missingFilters();
        }
        surroundings();
    }

    private void settings() {
        if (draft.policy.alwaysCheckAllPredicates()) {
            Policy file = draft.items.file();
            SourcePosition position = file == null ? SourcePosition.UNKNOWN : file.alwaysCheckPosition();
            draft.findings.exact(
                    FindingCode.M031,
                    List.of(draft.items.at("alwaysCheckAllPredicates", position)),
                    Texts.of(
                            "dropped: had no effect",
                            "dropped: filters stop at the first failure, as in 1.17.17, where predicates run as plugins"));
        }
    }

    private void emptyLists() {
        if (draft.policy.priorities().isEmpty()) {
            draft.findings.exact(
                    FindingCode.M043,
                    List.of(),
                    Texts.of(
                            "no scores: the first feasible node is used",
                            "The policy has no priorities. All nodes score the same, and the search stops at the first feasible"
                                    + " node."));
        }
        Policy file = draft.items.file();
        if (file != null && file.predicates() != null && file.predicates().isEmpty()) {
            draft.findings.exact(
                    FindingCode.M044,
                    List.of(),
                    Texts.of(
                            "only taints and cordons are checked",
                            "The policy has no predicates. Only taints and cordoned nodes are checked, and kubelets can reject"
                                    + " the pods."));
        }
    }

    private void additions() {
        if (layout != Layout.MULTI_POINT) {
            return;
        }
        String gates = draft.plugins.exists(PluginNames.SCHEDULING_GATES) ? ", SchedulingGates" : "";
        draft.findings.exact(
                FindingCode.M040,
                List.of(),
                Texts.of(
                        "added to the configuration",
                        "Every configuration needs these plugins, so they were added: PrioritySort, DefaultBinder,"
                                + " DefaultPreemption" + gates + ", and the mandatory predicates."));
    }

    private void missingFilters() {
        List<String> missing = draft.plugins.defaultFilters().stream()
                .filter(plugin -> !draft.plan.filters().containsKey(plugin))
                .toList();
        if (missing.isEmpty()) {
            return;
        }
        String volumes = missing.contains(PluginNames.VOLUME_BINDING)
                ? " Volume claims that wait for their first consumer are never bound."
                : "";
        String claims = missing.contains(PluginNames.DYNAMIC_RESOURCES)
                ? " Pods with resource claims get no devices (no allocation)."
                : "";
        draft.findings.warn(
                FindingCode.M041,
                List.of(),
                Texts.of(
                                missing.size() + " default filters stay off",
                                "These default filters have no predicate in the policy and stay off: "
                                        + String.join(", ", missing) + "." + volumes + claims)
                        .fixedBy("enable those you need", "Enable the filters that your pods need."));
    }

    private void surroundings() {
        if (draft.plugins.hasNoPolicies()) {
            draft.findings.info(
                    FindingCode.M060,
                    List.of(),
                    Texts.of(
                                    "the policy flags no longer exist",
                                    "kube-scheduler does not start with --policy-config-file, --policy-configmap,"
                                            + " --policy-configmap-namespace, --use-legacy-policy-config, or"
                                            + " --algorithm-provider. With --config, --kubeconfig is ignored. Leader election"
                                            + " must use leases. v1beta3 and later have no healthzBindAddress and"
                                            + " metricsBindAddress.")
                            .fixedBy(USE_CONFIG, "Replace these flags by --config. " + CLIENT_CONNECTION));
        } else {
            draft.findings.info(
                    FindingCode.M060,
                    List.of(),
                    Texts.of(
                                    "--config excludes the policy flags",
                                    "The policy flags cannot be combined with --config. With --config, --kubeconfig is ignored.")
                            .fixedBy(
                                    USE_CONFIG,
                                    "Remove --policy-config-file and the other policy flags. " + CLIENT_CONNECTION));
        }
        draft.findings.info(
                FindingCode.M061,
                List.of(),
                Texts.of(
                                "texts of reasons change",
                                "Some reasons in events have other texts: \"Too many pods\" (was \"Insufficient pods\"), \"didn't"
                                        + " match Pod's node affinity/selector\", \"had untolerated taint {key: value}\"."
                                        + " A node with several reasons counts for each of them.")
                        .fixedBy("adapt your alerts", "Adapt alerts that match on these texts."));
        draft.findings.info(
                FindingCode.M062,
                List.of(),
                Texts.of(
                        "checks only some of the nodes",
                        "Preemption checks 10% of the nodes, but at least 100, and starts at a random node. v1.17 checks all nodes. Each"
                                + " victim counts against its disruption budget."));
        draft.findings.info(
                FindingCode.M063,
                List.of(),
                Texts.of(
                        "newer fields take effect",
                        "Pod fields that v1.17 ignores take effect: topologySpreadConstraints, ReadWriteOncePod claims,"
                                + " namespaceSelector, and, depending on the release, scheduling gates, sidecars, and pod-level"
                                + " resources."));
        if (draft.target.release().compareTo(Release.NEWEST) > 0) {
            draft.findings.info(
                    FindingCode.M064,
                    List.of(),
                    Texts.of(
                            "plugins are those of " + Release.NEWEST,
                            "The plugins and extension points are those of " + Release.NEWEST
                                    + ", the newest release that this program supports, not those of "
                                    + draft.target.release() + "."));
        }
    }
}
