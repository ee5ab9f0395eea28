package io.policyscheduler.framework.insight.migrate;

import io.policyscheduler.engine.algorithm.KnownAlgorithms;
import io.policyscheduler.engine.document.SourcePosition;
import io.policyscheduler.engine.policy.Policy;
import io.policyscheduler.framework.config.PluginNames;
import java.util.LinkedHashMap;
import java.util.List;

/** Finds the score plugins of the priorities, their weights and arguments. */
final class ScoreMapping {
    private static final String INTER_POD_AFFINITY = "InterPodAffinityPriority";
    private static final String HARD_WEIGHT_FLAG = "--hard-pod-affinity-symmetric-weight";

    private final Draft draft;

    ScoreMapping(Draft draft) {
        this.draft = draft;
    }

    void map() {
        new ResourceMapping(draft).map();
        new SpreadMapping(draft).map();
        draft.policy.priorities().keySet().forEach(this::priority);
        draft.items
                .equalPriorities()
                .forEach(item -> draft.findings.exact(
                        FindingCode.M032, List.of(item), "dropped: gives every node the same score"));
        hardWeight();
        weights();
    }

    private void priority(String key) {
        List<PolicyItem> items = draft.items.priority(key);
        long weight = draft.weight(key);
        if (draft.policy.rules().priorities().containsKey(key)) {
            rule(key, weight, items);
            return;
        }
        switch (key) {
            case "LeastRequestedPriority",
                    "MostRequestedPriority",
                    KnownAlgorithms.REQUESTED_TO_CAPACITY_RATIO,
                    "RequestedToCapacityRatioPriority",
                    SpreadMapping.SELECTOR_SPREAD,
                    KnownAlgorithms.SERVICE_SPREADING_PRIORITY,
                    KnownAlgorithms.EVEN_PODS_SPREAD_PRIORITY,
                    KnownAlgorithms.SERVICE_AFFINITY -> {
                // Mapped together before.
            }
            case KnownAlgorithms.NODE_LABEL -> new LabelMapping(draft).preference(weight);
            case "BalancedResourceAllocation" -> balanced(weight, items);
            case INTER_POD_AFFINITY -> interPodAffinity(weight, items);
            case "NodeAffinityPriority" -> {
                draft.plan.score(PluginNames.NODE_AFFINITY, weight, items);
                draft.findings.info(
                        FindingCode.M020, items, "the same formula; matchFields of preferred terms count too");
            }
            case "TaintTolerationPriority" -> {
                draft.plan.score(PluginNames.TAINT_TOLERATION, weight, items);
                draft.findings.exact(FindingCode.M020, items, "the same formula");
            }
            case "ImageLocalityPriority" -> {
                draft.plan.score(PluginNames.IMAGE_LOCALITY, weight, items);
                draft.findings.info(
                        FindingCode.M020,
                        items,
                        "the largest sum grows with the number of containers (500 MiB on all nodes, a pod of 2"
                                + " containers: 24, was 48)"
                                + (draft.atLeast(30) ? "; init containers count too" : ""));
            }
            case "NodePreferAvoidPodsPriority" -> avoidPods(key, weight, items);
            case KnownAlgorithms.RESOURCE_LIMITS_PRIORITY ->
                draft.lostPriority(
                        FindingCode.M003,
                        Level.WARN,
                        key,
                        "alpha in 1.17, gone after 1.19: nothing prefers nodes that satisfy the limits of a pod",
                        "");
            default ->
                draft.lostPriority(
                        FindingCode.M006, Level.ERROR, key, "an algorithm that Kubernetes does not have", "");
        }
    }

    private void rule(String key, long weight, List<PolicyItem> items) {
        draft.kept.priority(key, weight);
        draft.findings.warn(
                FindingCode.M005, items, "a rule runs behind an extender: " + KeptAlgorithms.SCORE_DIFFERENCES, "");
    }

    private void balanced(long weight, List<PolicyItem> items) {
        draft.plan.score(PluginNames.NODE_RESOURCES_BALANCED, weight, items);
        if (!draft.atLeast(22)) {
            draft.findings.exact(FindingCode.M017, items, "the same formula");
            return;
        }
        draft.findings.warn(
                FindingCode.M017,
                items,
                "the range shrinks from 0..100 to 50..100, half the influence at the same weight (cpu and memory 0.9, 0.1: 60,"
                        + " was 19; 0.6, 0.3: 85, was 70); real requests instead of at least 100m and 200Mi"
                        + (draft.atLeast(33) ? "; best-effort pods are not scored" : ""),
                "double the weight to keep the influence");
    }

    private void interPodAffinity(long weight, List<PolicyItem> items) {
        draft.plan.score(PluginNames.INTER_POD_AFFINITY, weight, items);
        if (!draft.atLeast(21)) {
            draft.findings.exact(FindingCode.M019, items, "the same formula");
            return;
        }
        draft.findings.warn(
                FindingCode.M019,
                items,
                "normalized between the true least and most, in 1.17 one of the two is 0 at least: raw 5, 10 score 0, 100"
                        + " (was 50, 100), raw 5, 5 score 0, 0 (was 100, 100)",
                "");
    }

    private void avoidPods(String key, long weight, List<PolicyItem> items) {
        if (draft.target.hasOldPlugins()) {
            draft.plan.score(PluginNames.NODE_PREFER_AVOID_PODS, weight, items);
            draft.findings.exact(FindingCode.M002, items, "the same; no release after 1.22 has the plugin");
            return;
        }
        draft.lostPriority(
                FindingCode.M002,
                Level.WARN,
                key,
                "no plugin has its part (weight " + weight + "), which matters where a node has the annotation"
                        + " scheduler.alpha.kubernetes.io/preferAvoidPods",
                "taint such nodes PreferNoSchedule, which is far weaker, or give the workloads anti node affinity");
    }

    /** v1.17 checks the value of the policy and then takes that of the flag, which strict mode has put in its place. */
    private void hardWeight() {
        int given = draft.policy.policyHardPodAffinityWeight();
        int weight = draft.policy.hardPodAffinityWeight();
        boolean scored = draft.hasPriority(INTER_POD_AFFINITY);
        Policy file = draft.items.file();
        PolicyItem item = draft.items.at(
                "hardPodAffinitySymmetricWeight", file == null ? SourcePosition.UNKNOWN : file.hardWeightPosition());
        if (scored && (weight != 1 || given != 0)) {
            draft.plan
                    .arguments(PluginNames.INTER_POD_AFFINITY)
                    .put("hardPodAffinityWeight", weight, given == weight ? item.remark() : HARD_WEIGHT_FLAG);
        }
        if (given == 0) {
            return;
        }
        if (!scored) {
            draft.findings.exact(
                    FindingCode.M030, List.of(item), given + " dropped: the policy has no InterPodAffinityPriority");
        } else if (given == weight) {
            draft.findings.warn(
                    FindingCode.M030,
                    List.of(item),
                    "written as hardPodAffinityWeight " + given
                            + ", which takes effect; 1.17.17 checks it and then scores" + " with the flag (default 1)",
                    "migrate with --strict-v1.17 to leave it out");
        } else {
            draft.findings.exact(
                    FindingCode.M030,
                    List.of(item),
                    given + " dropped: 1.17.17 does not use it either, hardPodAffinityWeight is " + weight);
        }
    }

    /** Weights are 32 bits wide and positive. */
    private void weights() {
        new LinkedHashMap<>(draft.plan.scores()).forEach((plugin, score) -> {
            long inRange = Math.max(1, Math.min(Integer.MAX_VALUE, score.weight()));
            if (inRange != score.weight()) {
                draft.plan.weight(plugin, inRange);
                draft.findings.add(
                        FindingCode.M007,
                        Level.ERROR,
                        Fidelity.IMPOSSIBLE,
                        score.items(),
                        "weight " + score.weight() + " of " + plugin + " is not between 1 and " + Integer.MAX_VALUE
                                + "; " + inRange + " is written",
                        "divide all weights of the policy by a common factor");
            }
        });
    }
}
