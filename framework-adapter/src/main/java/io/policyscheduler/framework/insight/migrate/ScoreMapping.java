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
                        FindingCode.M032,
                        List.of(item),
                        FindingTexts.of("dropped: all nodes equal", "dropped: gives every node the same score")));
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
                        FindingCode.M020,
                        items,
                        FindingTexts.of(
                                "matchFields count, too",
                                "The same formula. In addition, matchFields of preferred terms count."));
            }
            case "TaintTolerationPriority" -> {
                draft.plan.score(PluginNames.TAINT_TOLERATION, weight, items);
                draft.findings.exact(FindingCode.M020, items, Draft.SAME_FORMULA);
            }
            case "ImageLocalityPriority" -> {
                draft.plan.score(PluginNames.IMAGE_LOCALITY, weight, items);
                draft.findings.info(
                        FindingCode.M020,
                        items,
                        FindingTexts.of(
                                "lower with more containers",
                                "The upper threshold grows with the number of containers (500 MiB on all nodes, a pod of 2"
                                        + " containers: 24, was 48)."
                                        + (draft.atLeast(30) ? " Images of init containers count, too." : "")));
            }
            case "NodePreferAvoidPodsPriority" -> avoidPods(key, weight, items);
            case KnownAlgorithms.RESOURCE_LIMITS_PRIORITY ->
                draft.lostPriority(
                        FindingCode.M003,
                        Level.WARN,
                        key,
                        FindingTexts.of(
                                "limits no longer score",
                                "Alpha in 1.17, removed after 1.19. No plugin prefers nodes that satisfy the limits of a pod."));
            default -> draft.lostPriority(FindingCode.M006, Level.ERROR, key, Draft.UNKNOWN_ALGORITHM);
        }
    }

    private void rule(String key, long weight, List<PolicyItem> items) {
        draft.kept.priority(key, weight);
        draft.findings.warn(
                FindingCode.M005,
                items,
                FindingTexts.of(
                                "scores are rescaled",
                                "a rule runs behind an extender. " + KeptAlgorithms.SCORE_DIFFERENCES)
                        .fixedBy(KeptAlgorithms.RUN_EXTENDER, KeptAlgorithms.RUN_EXTENDER_IN_FULL));
    }

    private void balanced(long weight, List<PolicyItem> items) {
        draft.plan.score(PluginNames.NODE_RESOURCES_BALANCED, weight, items);
        if (!draft.atLeast(22)) {
            draft.findings.exact(FindingCode.M017, items, Draft.SAME_FORMULA);
            return;
        }
        draft.findings.warn(
                FindingCode.M017,
                items,
                FindingTexts.of(
                                "half the influence",
                                "The range of the score is 50 to 100 instead of 0 to 100. At the same weight, the influence is"
                                        + " half as large (cpu and memory 0.9 and 0.1: 60, was 19; 0.6 and 0.3: 85, was 70)."
                                        + " The score uses real requests instead of at least 100m and 200Mi."
                                        + (draft.atLeast(33) ? " Best-effort pods are not scored." : ""))
                        .fixedBy("double the weight", "Double the weight to keep the influence."));
    }

    private void interPodAffinity(long weight, List<PolicyItem> items) {
        draft.plan.score(PluginNames.INTER_POD_AFFINITY, weight, items);
        if (!draft.atLeast(21)) {
            draft.findings.exact(FindingCode.M019, items, Draft.SAME_FORMULA);
            return;
        }
        draft.findings.warn(
                FindingCode.M019,
                items,
                FindingTexts.of(
                        "the worst node always scores 0",
                        "Scores are normalized between the lowest and the highest raw score. v1.17 also includes 0 in this range."
                                + " Raw scores 5 and 10 become 0 and 100 (was 50 and 100). Raw scores 5 and 5 become 0 and 0"
                                + " (was 100 and 100)."));
    }

    private void avoidPods(String key, long weight, List<PolicyItem> items) {
        if (draft.target.hasOldPlugins()) {
            draft.plan.score(PluginNames.NODE_PREFER_AVOID_PODS, weight, items);
            draft.findings.exact(FindingCode.M002, items, Draft.LAST_IN_1_22);
            return;
        }
        draft.lostPriority(
                FindingCode.M002,
                Level.WARN,
                key,
                FindingTexts.of(
                                "preferAvoidPods is ignored",
                                "No plugin replaces it (weight " + weight
                                        + "). It matters for nodes that have the annotation"
                                        + " scheduler.alpha.kubernetes.io/preferAvoidPods.")
                        .fixedBy(
                                "taint these nodes",
                                "Taint these nodes with PreferNoSchedule, which has a much weaker effect, or give the workloads"
                                        + " a node affinity that excludes them."));
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
                    FindingCode.M030,
                    List.of(item),
                    FindingTexts.of(
                            "dropped: has no effect",
                            given + " is dropped because the policy has no InterPodAffinityPriority."));
        } else if (given == weight) {
            draft.findings.warn(
                    FindingCode.M030,
                    List.of(item),
                    FindingTexts.of(
                                    "takes effect now",
                                    "It is written as hardPodAffinityWeight " + given
                                            + ", which takes effect. v1.17.17 validates it and then uses the flag (default 1).")
                            .fixedBy("--strict-v1.17 omits it", "Migrate with --strict-v1.17 to omit it."));
        } else {
            draft.findings.exact(
                    FindingCode.M030,
                    List.of(item),
                    FindingTexts.of(
                            "dropped: had no effect",
                            given + " is dropped. v1.17.17 does not use it either. hardPodAffinityWeight is " + weight
                                    + "."));
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
                        FindingTexts.of(
                                        "weight is out of range",
                                        "The weight " + score.weight() + " of " + plugin + " is not between 1 and "
                                                + Integer.MAX_VALUE + ". The configuration has " + inRange + ".")
                                .fixedBy("divide all weights", "Divide all weights of the policy by a common factor."));
            }
        });
    }
}
