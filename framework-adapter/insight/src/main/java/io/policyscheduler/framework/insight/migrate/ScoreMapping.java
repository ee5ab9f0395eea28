package io.policyscheduler.framework.insight.migrate;

import io.policyscheduler.engine.algorithm.KnownAlgorithms;
import io.policyscheduler.engine.cluster.release.SchedulerChange;
import io.policyscheduler.engine.document.QualifiedNames;
import io.policyscheduler.engine.document.SourceDocument.SourcePosition;
import io.policyscheduler.engine.policy.Policy;
import io.policyscheduler.engine.policy.Policy.PriorityArgument;
import io.policyscheduler.framework.config.PluginNames;
import io.policyscheduler.framework.insight.migrate.Finding.Fidelity;
import io.policyscheduler.framework.insight.migrate.Finding.FindingCode;
import io.policyscheduler.framework.insight.migrate.Finding.Level;
import io.policyscheduler.framework.insight.migrate.Finding.Texts;
import io.policyscheduler.framework.insight.migrate.PolicyEntries.PolicyItem;
import io.policyscheduler.framework.insight.migrate.YamlWriter.YamlList;
import io.policyscheduler.framework.insight.migrate.YamlWriter.YamlMap;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Maps priorities to score plugins, with their weights and arguments. */
final class ScoreMapping {
    private static final String INTER_POD_AFFINITY = "InterPodAffinityPriority";
    private static final String HARD_WEIGHT_FLAG = "--hard-pod-affinity-symmetric-weight";

    private final MigrationPlan draft;

    ScoreMapping(MigrationPlan draft) {
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
                        Texts.of("dropped: all nodes equal", "dropped: gives every node the same score")));
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
                // Mapped together above.
            }
            case KnownAlgorithms.NODE_LABEL -> new LabelMapping(draft).preference(weight);
            case "BalancedResourceAllocation" -> balanced(weight, items);
            case INTER_POD_AFFINITY -> interPodAffinity(weight, items);
            case "NodeAffinityPriority" -> {
                draft.plan.score(PluginNames.NODE_AFFINITY, weight, items);
                draft.findings.info(
                        FindingCode.M020,
                        items,
                        Texts.of(
                                "matchFields count, too",
                                "The plugin uses the same formula. In addition, matchFields of preferred terms count."));
            }
            case "TaintTolerationPriority" -> {
                draft.plan.score(PluginNames.TAINT_TOLERATION, weight, items);
                draft.findings.exact(FindingCode.M020, items, MigrationPlan.SAME_FORMULA);
            }
            case "ImageLocalityPriority" -> {
                draft.plan.score(PluginNames.IMAGE_LOCALITY, weight, items);
                draft.findings.info(
                        FindingCode.M020,
                        items,
                        Texts.of(
                                "scores fall with more containers",
                                "The upper threshold grows with the number of containers. For example, an image of 500 MiB on"
                                        + " all nodes scores 24 for a pod with 2 containers (v1.17: 48)."
                                        + (draft.has(SchedulerChange.IMAGES_OF_INIT_CONTAINERS)
                                                ? " Images of init containers count, too."
                                                : "")));
            }
            case "NodePreferAvoidPodsPriority" -> avoidPods(key, weight, items);
            case KnownAlgorithms.RESOURCE_LIMITS_PRIORITY ->
                draft.lostPriority(
                        FindingCode.M003,
                        Level.WARN,
                        key,
                        Texts.of(
                                "limits no longer score",
                                "Alpha in 1.17, removed after 1.19. No plugin prefers nodes that satisfy the limits of a pod."));
            default -> draft.lostPriority(FindingCode.M006, Level.ERROR, key, MigrationPlan.UNKNOWN_ALGORITHM);
        }
    }

    private void rule(String key, long weight, List<PolicyItem> items) {
        draft.retained.priority(key, weight);
        draft.findings.warn(
                FindingCode.M005,
                items,
                Texts.of(
                                "scores are rescaled",
                                "a rule runs behind an extender. " + ExtenderAlgorithms.SCORE_DIFFERENCES)
                        .fixedBy(ExtenderAlgorithms.RUN_EXTENDER, ExtenderAlgorithms.RUN_EXTENDER_IN_FULL));
    }

    private void balanced(long weight, List<PolicyItem> items) {
        draft.plan.score(PluginNames.NODE_RESOURCES_BALANCED, weight, items);
        if (!draft.has(SchedulerChange.BALANCED_FORMULA)) {
            draft.findings.exact(FindingCode.M017, items, MigrationPlan.SAME_FORMULA);
            return;
        }
        draft.findings.warn(
                FindingCode.M017,
                items,
                Texts.of(
                                "half the influence",
                                "The range of the score is 50 to 100 instead of 0 to 100. At the same weight, the influence is"
                                        + " half as large. For example, a node with 90 % of its CPU and 10 % of its memory requested"
                                        + " scores 60 (v1.17: 19). A container without requests counts 0, not 100m and 200Mi."
                                        + (draft.has(SchedulerChange.BEST_EFFORT_IS_NOT_BALANCED)
                                                ? " Best-effort pods are not scored."
                                                : ""))
                        .fixedBy("double the weight", "Double the weight to keep the influence."));
    }

    private void interPodAffinity(long weight, List<PolicyItem> items) {
        draft.plan.score(PluginNames.INTER_POD_AFFINITY, weight, items);
        if (!draft.has(SchedulerChange.AFFINITY_SCORE_RANGE)) {
            draft.findings.exact(FindingCode.M019, items, MigrationPlan.SAME_FORMULA);
            return;
        }
        draft.findings.warn(
                FindingCode.M019,
                items,
                Texts.of(
                        "the worst node always scores 0",
                        "The node with the lowest raw score gets 0 points, and the one with the highest gets 100. In v1.17, only a"
                                + " raw score of 0 gives 0 points. For example, nodes with raw scores of 5 and 10 get 0 and 100"
                                + " points (v1.17: 50 and 100). If both have 5, both get 0 points (v1.17: 100)."));
    }

    private void avoidPods(String key, long weight, List<PolicyItem> items) {
        if (draft.target.hasOldPlugins()) {
            draft.plan.score(PluginNames.NODE_PREFER_AVOID_PODS, weight, items);
            draft.findings.exact(FindingCode.M002, items, MigrationPlan.LAST_IN_1_22);
            return;
        }
        draft.lostPriority(
                FindingCode.M002,
                Level.WARN,
                key,
                Texts.of(
                                "preferAvoidPods is ignored",
                                "No plugin replaces it (weight " + weight
                                        + "). It matters for nodes that have the annotation"
                                        + " scheduler.alpha.kubernetes.io/preferAvoidPods.")
                        .fixedBy(
                                "taint nodes that have the annotation",
                                "Taint these nodes with PreferNoSchedule, which has a much weaker effect, or give the workloads"
                                        + " a node affinity that excludes them."));
    }

    /** v1.17 validates the value of the policy and then uses that of the flag, which strict mode has substituted. */
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
                    Texts.of(
                            "dropped: has no effect",
                            given + " is dropped because the policy has no InterPodAffinityPriority."));
        } else if (given == weight) {
            draft.findings.warn(
                    FindingCode.M030,
                    List.of(item),
                    Texts.of(
                                    "takes effect now",
                                    "It is written as hardPodAffinityWeight " + given
                                            + ", which takes effect. v1.17.17 validates it and then uses the flag (default 1).")
                            .fixedBy("--strict-v1.17 omits it", "Migrate with --strict-v1.17 to omit it."));
        } else {
            draft.findings.exact(
                    FindingCode.M030,
                    List.of(item),
                    Texts.of(
                            "dropped: had no effect",
                            given + " is dropped. v1.17.17 does not use it either. hardPodAffinityWeight is " + weight
                                    + "."));
        }
    }

    /** Limits weights to positive 32-bit numbers. */
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
                        Texts.of(
                                        "weight is out of range",
                                        "The weight " + score.weight() + " of " + plugin + " is not between 1 and "
                                                + Integer.MAX_VALUE + ". The configuration has " + inRange + ".")
                                .fixedBy("divide all weights", "Divide all weights of the policy by a common factor."));
            }
        });
    }

    /**
     * Converts the priorities that score by requested resources to one scoring strategy of NodeResourcesFit, or up to
     * {@code v1beta1} to one plugin each.
     */
    static final class ResourceMapping {
        private static final String LEAST = "LeastRequestedPriority";
        private static final String MOST = "MostRequestedPriority";
        /** The ratio without arguments: prefers empty nodes. */
        private static final String PLAIN_RATIO = "RequestedToCapacityRatioPriority";

        private static final int SCORE_FACTOR = 10;
        private static final int MAX_RESOURCE_WEIGHT = 100;

        private final MigrationPlan draft;

        ResourceMapping(MigrationPlan draft) {
            this.draft = draft;
        }

        void map() {
            Map<String, Long> requested = new LinkedHashMap<>();
            for (String key : List.of(LEAST, MOST, KnownAlgorithms.REQUESTED_TO_CAPACITY_RATIO, PLAIN_RATIO)) {
                if (draft.hasPriority(key)) {
                    requested.put(key, draft.weight(key));
                }
            }
            boolean old = draft.target.hasOldPlugins();
            if (!old && requested.containsKey(LEAST) && requested.containsKey(MOST)) {
                opposed(requested);
            }
            List<String> rivals = new ArrayList<>(requested.keySet());
            if (old) {
                rivals.removeAll(List.of(LEAST, MOST));
            }
            if (rivals.size() > 1) {
                onlyHeaviest(rivals, requested);
            }
            requested.forEach((key, weight) -> {
                if (old) {
                    plugin(key, weight);
                } else {
                    strategy(key, weight);
                }
            });
        }

        /**
         * Combines opposed priorities: 100·w - least·w is about most·w, so the smaller weight is subtracted from the larger one.
         */
        private void opposed(Map<String, Long> requested) {
            long least = requested.getOrDefault(LEAST, 0L);
            long most = requested.getOrDefault(MOST, 0L);
            List<PolicyItem> both = new ArrayList<>(draft.items.priority(LEAST));
            both.addAll(draft.items.priority(MOST));
            String result;
            if (least == most) {
                requested.remove(LEAST);
                requested.remove(MOST);
                result =
                        "Both are dropped, because with equal weights their sum is nearly constant, 100·" + least + ".";
            } else {
                String stronger = least > most ? LEAST : MOST;
                requested.remove(least > most ? MOST : LEAST);
                requested.put(stronger, Math.abs(least - most));
                result = stronger + " stays with the difference of the weights, " + Math.abs(least - most)
                        + ". The sum is nearly this and a constant.";
            }
            draft.findings.warn(
                    FindingCode.M004,
                    both,
                    Texts.of(
                                    "combined into one strategy",
                                    "A profile has one scoring strategy. " + result
                                            + " This is inexact for nodes that are full or lack a resource.")
                            .fixedBy(
                                    "use one ratio shape",
                                    "A requestedToCapacityRatio with your own shape can approximate both."));
        }

        private void onlyHeaviest(List<String> rivals, Map<String, Long> requested) {
            String heaviest = rivals.get(0);
            for (String key : rivals) {
                if (requested.getOrDefault(key, 0L) > requested.getOrDefault(heaviest, 0L)) {
                    heaviest = key;
                }
            }
            for (String key : rivals) {
                if (!key.equals(heaviest)) {
                    requested.remove(key);
                    draft.lostPriority(
                            FindingCode.M004,
                            Level.ERROR,
                            key,
                            Texts.of(
                                            "does not score",
                                            "A profile has one scoring strategy, and "
                                                    + PolicyEntries.names(draft.items.priority(heaviest))
                                                    + " has a higher weight.")
                                    .fixedBy(
                                            "use one ratio shape",
                                            "Combine both in the shape of one requestedToCapacityRatio."));
                }
            }
        }

        private void plugin(String key, long weight) {
            List<PolicyItem> items = draft.items.priority(key);
            switch (key) {
                case LEAST -> draft.plan.score(PluginNames.NODE_RESOURCES_LEAST, weight, items);
                case MOST -> draft.plan.score(PluginNames.NODE_RESOURCES_MOST, weight, items);
                default -> {
                    draft.plan.score(PluginNames.REQUESTED_TO_CAPACITY_RATIO, weight, items);
                    draft.plan
                            .arguments(PluginNames.REQUESTED_TO_CAPACITY_RATIO)
                            .put("shape", shape(key, items))
                            .put("resources", resources(key, items));
                }
            }
            numbers(key, items);
        }

        private void strategy(String key, long weight) {
            List<PolicyItem> items = draft.items.priority(key);
            draft.plan.score(PluginNames.NODE_RESOURCES_FIT, weight, items);
            String type = switch (key) {
                case LEAST -> "LeastAllocated";
                case MOST -> "MostAllocated";
                default -> "RequestedToCapacityRatio";
            };
            YamlMap strategy = YamlMap.block()
                    .put("type", type, PolicyEntries.remark(items))
                    .put("resources", resources(key, items));
            if (type.equals("RequestedToCapacityRatio")) {
                strategy.put("requestedToCapacityRatio", YamlMap.block().put("shape", shape(key, items)));
            }
            draft.plan.arguments(PluginNames.NODE_RESOURCES_FIT).put("scoringStrategy", strategy);
            numbers(key, items);
        }

        private YamlList shape(String key, List<PolicyItem> items) {
            List<PriorityArgument.ShapePoint> points = key.equals(PLAIN_RATIO)
                    ? List.of(new PriorityArgument.ShapePoint(0, 100), new PriorityArgument.ShapePoint(100, 0))
                    : draft.policy.arguments().ratioShape();
            YamlList list = new YamlList();
            for (PriorityArgument.ShapePoint point : points) {
                YamlMap written = YamlMap.flow()
                        .put("utilization", point.utilization())
                        .put("score", point.score() / SCORE_FACTOR);
                list.add(written, PolicyEntries.remark(items));
            }
            return list;
        }

        private YamlList resources(String key, List<PolicyItem> items) {
            Map<String, Long> weights = key.equals(KnownAlgorithms.REQUESTED_TO_CAPACITY_RATIO)
                    ? inRange(draft.policy.arguments().ratioResources(), items)
                    : Map.of();
            if (weights.isEmpty()) {
                weights = new LinkedHashMap<>();
                weights.put("cpu", 1L);
                weights.put("memory", 1L);
            }
            YamlList list = new YamlList();
            weights.forEach((name, weight) ->
                    list.add(YamlMap.flow().put("name", name).put("weight", weight), PolicyEntries.remark(items)));
            return list;
        }

        /** Scales weights of resources to 1 to 100. */
        private Map<String, Long> inRange(Map<String, Long> weights, List<PolicyItem> items) {
            long max = 1;
            for (long weight : weights.values()) {
                max = Math.max(max, weight);
            }
            Map<String, Long> result = new LinkedHashMap<>();
            boolean exact = true;
            for (Map.Entry<String, Long> entry : weights.entrySet()) {
                long weight = entry.getValue();
                double shrunk = max > MAX_RESOURCE_WEIGHT ? (double) weight / max * MAX_RESOURCE_WEIGHT : weight;
                long written = Math.max(1, Math.round(shrunk));
                exact &= written == shrunk;
                result.put(entry.getKey(), written);
            }
            if (!result.equals(weights)) {
                boolean negative = weights.values().stream().anyMatch(weight -> weight < 1);
                draft.findings.add(
                        FindingCode.M007,
                        negative ? Level.ERROR : exact ? Level.INFO : Level.WARN,
                        negative ? Fidelity.IMPOSSIBLE : exact ? Fidelity.EXACT : Fidelity.APPROXIMATED,
                        items,
                        Texts.of(
                                exact ? "" : "resource weights changed",
                                "Weights of resources must be 1 to 100: " + weights + " became " + result + "."));
            }
            return result;
        }

        private void numbers(String key, List<PolicyItem> items) {
            switch (key) {
                case LEAST ->
                    draft.findings.info(
                            FindingCode.M016,
                            items,
                            draft.has(SchedulerChange.ONLY_REQUESTED_RESOURCES)
                                    ? Texts.of(
                                            "ignores resources that a node lacks",
                                            "The plugin uses the same formula. A resource that a node does not have at all is omitted with its"
                                                    + " weight, where v1.17 scores it 0.")
                                    : MigrationPlan.SAME_FORMULA);
                case MOST ->
                    draft.findings.info(
                            FindingCode.M016,
                            items,
                            draft.has(SchedulerChange.OVERCOMMITTED_SCORES_FULL)
                                    ? Texts.of(
                                            "overcommitted nodes score 100",
                                            "The plugin uses the same formula. A node whose requests exceed its capacity scores 100 for the resource;"
                                                    + " in v1.17, 0 (1100 of 1000).")
                                    : MigrationPlan.SAME_FORMULA);
                default -> ratioNumbers(items);
            }
        }

        private void ratioNumbers(List<PolicyItem> items) {
            if (!draft.has(SchedulerChange.ONLY_REQUESTED_RESOURCES)) {
                draft.findings.exact(FindingCode.M018, items, MigrationPlan.SAME_FORMULA);
                return;
            }
            boolean extended = draft.policy.arguments().ratioResources().keySet().stream()
                    .anyMatch(name -> !name.equals("cpu") && !name.equals("memory"));
            String text = "Utilization is rounded down; in v1.17, up (1/3: 33, was 34).";
            if (extended) {
                text +=
                        " A resource that the node lacks or the pod does not request is omitted. In v1.17, a node without it"
                                + " scores as full (a pod of 4 cpu and no GPU on a node without GPUs: 37, was 82).";
            }
            draft.findings.warn(
                    FindingCode.M018,
                    items,
                    Texts.of(extended ? "missing resources are omitted" : "rounding differs", text)
                            .fixedBy(
                                    extended ? "taint the nodes of the resource" : "",
                                    extended
                                            ? "Taint the nodes of the resource to keep pods that do not request it away."
                                            : ""));
        }
    }

    /** Converts all spreading priorities to PodTopologySpread, or up to {@code v1beta1} to the plugins of those versions. */
    static final class SpreadMapping {
        static final String SELECTOR_SPREAD = "SelectorSpreadPriority";
        private static final String HOSTNAME = "kubernetes.io/hostname";
        private static final String ZONE = "topology.kubernetes.io/zone";
        private static final int HOSTNAME_SKEW = 3;
        private static final int ZONE_SKEW = 5;

        private final MigrationPlan draft;

        SpreadMapping(MigrationPlan draft) {
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
                            Texts.of("", "The plugin does the same. No release after 1.28 has SelectorSpread."));
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
                        .forEach(label -> labels.add(label, PolicyEntries.remark(items)));
                draft.plan.arguments(PluginNames.SERVICE_AFFINITY).put("antiAffinityLabelsPreference", labels);
                draft.findings.exact(FindingCode.M012, items, MigrationPlan.LAST_IN_1_22);
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
                        .put("defaultingType", "System", PolicyEntries.remark(draft.items.priority(bySelector.get(0))));
            }
            if (weights.size() > 1) {
                draft.findings.warn(
                        FindingCode.M015,
                        sharing,
                        Texts.of(
                                "PodTopologySpread: weight " + String.join(" + ", weights),
                                "PodTopologySpread computes one score for them with the sum of their weights ("
                                        + String.join(" + ", weights) + "). v1.17 adds several scores."));
            }
        }

        /** Whether a constraint was created. */
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
                        Texts.of(
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
                String remark = PolicyEntries.remark(draft.items.priority(bySelector.get(0)));
                constraint(constraints, HOSTNAME, HOSTNAME_SKEW, remark);
                constraint(constraints, ZONE, ZONE_SKEW, remark);
                labels.remove(HOSTNAME);
                labels.remove(ZONE);
                keys.add(HOSTNAME);
                keys.add(ZONE);
            }
            labels.forEach(label -> constraint(constraints, label, 1, PolicyEntries.remark(items)));
            draft.plan
                    .arguments(PluginNames.POD_TOPOLOGY_SPREAD)
                    .put("defaultingType", "List", PolicyEntries.remark(items))
                    .put("defaultConstraints", constraints);
            draft.findings.warn(
                    FindingCode.M012,
                    items,
                    Texts.of(
                                    "spreads by another formula",
                                    "Default constraints replace this priority. They count the pods that all"
                                            + " services and the controller select. They do not apply to pods with their own constraints. A"
                                            + " node without one of the labels " + keys
                                            + " scores 0. For example, label values with 2 and 0 pods score 57 and 100 (v1.17: 0 and"
                                            + " 100).")
                            .fixedBy(
                                    labelAllNodes(labels.isEmpty() ? keys : labels),
                                    "Label all nodes, or remove a constraint whose label some nodes do not have."));
            return true;
        }

        /** Only the others are reported, because kubelets set the hostname label. */
        private static String labelAllNodes(Set<String> keys) {
            List<String> missing =
                    keys.stream().filter(key -> !key.equals(HOSTNAME)).toList();
            return "set the " + (missing.size() == 1 ? "label " : "labels ") + String.join(" and ", missing)
                    + " on all nodes";
        }

        private static void constraint(YamlList constraints, String key, int skew, String remark) {
            constraints.add(
                    YamlMap.flow()
                            .put("maxSkew", skew)
                            .put("topologyKey", key)
                            .put("whenUnsatisfiable", "ScheduleAnyway"),
                    remark);
        }

        private void bySystemDefaults(List<PolicyItem> items) {
            boolean older = draft.plugins.canEnableSelectorSpread();
            String fix =
                    "Give the nodes topology.kubernetes.io/zone labels. Beta labels and region labels are not read."
                            + (older ? " v1beta3 can still enable SelectorSpread at preScore and score." : "")
                            + (draft.target.hasOldPlugins()
                                    ? " SelectorSpread can still be enabled at preScore and score."
                                    : "");
            draft.findings.warn(
                    FindingCode.M013,
                    items,
                    Texts.of(
                                    "spreads by another formula",
                                    "The system defaults of PodTopologySpread replace the formula node/3 + 2·zone/3. For example, one"
                                            + " zone has nodes with 0 and 1 pods, and another zone has nodes with 2 and 0 pods. They"
                                            + " score 100, 83, 58, and 83 (v1.17: 66, 50, 0, and 33). Pods on all nodes count, not"
                                            + " only those on feasible nodes. The defaults do not apply to pods that have their own"
                                            + " constraints, or that have no service and no controller.")
                            .fixedBy("label nodes with zones", fix));
        }

        private void even(boolean alone) {
            List<PolicyItem> items = draft.items.priority(KnownAlgorithms.EVEN_PODS_SPREAD_PRIORITY);
            draft.plan.score(
                    PluginNames.POD_TOPOLOGY_SPREAD, draft.weight(KnownAlgorithms.EVEN_PODS_SPREAD_PRIORITY), items);
            if (alone && draft.has(SchedulerChange.SPREADING_BY_CONSTRAINTS)) {
                draft.plan
                        .arguments(PluginNames.POD_TOPOLOGY_SPREAD)
                        .put("defaultingType", "List", PolicyEntries.remark(items))
                        .put("defaultConstraints", new YamlList(), "no defaults: only the constraints of pods score");
            }
            draft.findings.warn(
                    FindingCode.M014,
                    items,
                    Texts.of(
                            "another formula",
                            "The formula differs from the alpha version of 1.17, and only the pod's namespace counts. For example,"
                                    + " nodes with 0, 1, and 3 pods score 100, 60, and 0 (v1.17: 100, 75, and 25)."));
        }
    }
}
