package io.policyscheduler.framework.insight.migrate;

import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.document.SourcePosition;
import io.policyscheduler.engine.policy.Policy;
import io.policyscheduler.framework.config.PluginNames;
import java.util.List;

/** Tells what a migration changes that no single entry of the policy is about. */
final class Checklist {
    private final Draft draft;
    private final Layout layout;

    Checklist(Draft draft, Layout layout) {
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
                    "dropped: filters stop at the first failure, as in 1.17.17, where predicates run as plugins");
        }
    }

    private void emptyLists() {
        if (draft.policy.priorities().isEmpty()) {
            draft.findings.exact(
                    FindingCode.M043,
                    List.of(),
                    "no priorities: nothing scores, all nodes are equal and the search stops at the first that fits");
        }
        Policy file = draft.items.file();
        if (file != null && file.predicates() != null && file.predicates().isEmpty()) {
            draft.findings.exact(
                    FindingCode.M044,
                    List.of(),
                    "no predicates: only taints and cordoned nodes are looked at; pods bounce at the kubelet");
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
                "added: PrioritySort, DefaultBinder, DefaultPreemption" + gates
                        + " and, unless listed, the mandatory predicates");
    }

    private void missingFilters() {
        List<String> missing = draft.plugins.defaultFilters().stream()
                .filter(plugin -> !draft.plan.filters().containsKey(plugin))
                .toList();
        if (missing.isEmpty()) {
            return;
        }
        String volumes = missing.contains(PluginNames.VOLUME_BINDING)
                ? "; claims that wait for their first consumer are never bound"
                : "";
        String claims =
                missing.contains(PluginNames.DYNAMIC_RESOURCES) ? "; pods with resource claims get no devices" : "";
        draft.findings.warn(
                FindingCode.M041,
                List.of(),
                "not enabled, as in the policy: " + String.join(", ", missing) + volumes + claims,
                "add those that your pods need");
    }

    private void surroundings() {
        if (draft.atLeast(23)) {
            draft.findings.info(
                    FindingCode.M060,
                    List.of(),
                    "kube-scheduler does not start with --policy-config-file, --policy-configmap,"
                            + " --policy-configmap-namespace, --use-legacy-policy-config or --algorithm-provider: replace them"
                            + " by --config, beside which --kubeconfig is ignored: add clientConnection: {kubeconfig: FILE} to"
                            + " the configuration; leader election must use leases, healthzBindAddress and"
                            + " metricsBindAddress are gone from v1beta3 on");
        } else {
            draft.findings.info(
                    FindingCode.M060,
                    List.of(),
                    "remove --policy-config-file and its like from the flags: they must not stand beside --config, beside"
                            + " which --kubeconfig is ignored: add clientConnection: {kubeconfig: FILE} to the configuration");
        }
        draft.findings.info(
                FindingCode.M061,
                List.of(),
                "texts of events differ: \"Too many pods\" (Insufficient pods), \"didn't match Pod's node affinity/selector\","
                        + " \"had untolerated taint {key: value}\"; a node counts once for every reason");
        draft.findings.info(
                FindingCode.M062,
                List.of(),
                "preemption looks at 10 % of the nodes, at least 100, from a random one on, where 1.17 tries all; a disruption"
                        + " budget is used up victim by victim");
        draft.findings.info(
                FindingCode.M063,
                List.of(),
                "pods may now ask for what 1.17 does not know and get it: topologySpreadConstraints, ReadWriteOncePod claims,"
                        + " namespaceSelector, and by release gates, sidecars, pod-level resources");
        if (draft.target.release().compareTo(Release.NEWEST) > 0) {
            draft.findings.info(
                    FindingCode.M064,
                    List.of(),
                    "plugins and points are those of " + Release.NEWEST + ", the newest release known here, not of "
                            + draft.target.release());
        }
    }
}
