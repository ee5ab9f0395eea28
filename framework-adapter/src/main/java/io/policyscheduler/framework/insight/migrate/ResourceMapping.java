package io.policyscheduler.framework.insight.migrate;

import io.policyscheduler.engine.algorithm.KnownAlgorithms;
import io.policyscheduler.engine.policy.Policy.PriorityArgument;
import io.policyscheduler.framework.config.PluginNames;
import io.policyscheduler.framework.insight.migrate.yaml.YamlList;
import io.policyscheduler.framework.insight.migrate.yaml.YamlMap;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Turns the priorities that score by requested resources into one scoring strategy of NodeResourcesFit, or up to
 * {@code v1beta1} into a plugin each.
 */
final class ResourceMapping {
    private static final String LEAST = "LeastRequestedPriority";
    private static final String MOST = "MostRequestedPriority";
    /** The ratio without arguments: an empty node scores best. */
    private static final String PLAIN_RATIO = "RequestedToCapacityRatioPriority";

    private static final int SCORE_FACTOR = 10;
    private static final int MAX_RESOURCE_WEIGHT = 100;

    private final Draft draft;

    ResourceMapping(Draft draft) {
        this.draft = draft;
    }

    void map() {
        Map<String, Long> wanted = new LinkedHashMap<>();
        for (String key : List.of(LEAST, MOST, KnownAlgorithms.REQUESTED_TO_CAPACITY_RATIO, PLAIN_RATIO)) {
            if (draft.hasPriority(key)) {
                wanted.put(key, draft.weight(key));
            }
        }
        boolean old = draft.target.hasOldPlugins();
        if (!old && wanted.containsKey(LEAST) && wanted.containsKey(MOST)) {
            opposed(wanted);
        }
        List<String> rivals = new ArrayList<>(wanted.keySet());
        if (old) {
            rivals.removeAll(List.of(LEAST, MOST));
        }
        if (rivals.size() > 1) {
            onlyHeaviest(rivals, wanted);
        }
        wanted.forEach((key, weight) -> {
            if (old) {
                plugin(key, weight);
            } else {
                strategy(key, weight);
            }
        });
    }

    /** 100·w - least·w is about most·w: the lighter one takes its weight from the heavier one. */
    private void opposed(Map<String, Long> wanted) {
        long least = wanted.getOrDefault(LEAST, 0L);
        long most = wanted.getOrDefault(MOST, 0L);
        List<PolicyItem> both = new ArrayList<>(draft.items.priority(LEAST));
        both.addAll(draft.items.priority(MOST));
        String result;
        if (least == most) {
            wanted.remove(LEAST);
            wanted.remove(MOST);
            result = "Both are dropped, because with equal weights their sum is nearly constant, 100·" + least + ".";
        } else {
            String stronger = least > most ? LEAST : MOST;
            wanted.remove(least > most ? MOST : LEAST);
            wanted.put(stronger, Math.abs(least - most));
            result = stronger + " stays with the difference of the weights, " + Math.abs(least - most)
                    + ". The sum is nearly this and a constant.";
        }
        draft.findings.warn(
                FindingCode.M004,
                both,
                FindingTexts.of(
                                "combined into one strategy",
                                "A profile has one scoring strategy. " + result
                                        + " This is inexact for nodes that are full or lack a resource.")
                        .fixedBy(
                                "use one ratio shape",
                                "A requestedToCapacityRatio with your own shape can approximate both."));
    }

    private void onlyHeaviest(List<String> rivals, Map<String, Long> wanted) {
        String heaviest = rivals.get(0);
        for (String key : rivals) {
            if (wanted.getOrDefault(key, 0L) > wanted.getOrDefault(heaviest, 0L)) {
                heaviest = key;
            }
        }
        for (String key : rivals) {
            if (!key.equals(heaviest)) {
                wanted.remove(key);
                draft.lostPriority(
                        FindingCode.M004,
                        Level.ERROR,
                        key,
                        FindingTexts.of(
                                        "does not score",
                                        "A profile has one scoring strategy, and "
                                                + PolicyItems.names(draft.items.priority(heaviest))
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
        YamlMap strategy =
                YamlMap.block().put("type", type, PolicyItems.remark(items)).put("resources", resources(key, items));
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
            YamlMap written =
                    YamlMap.flow().put("utilization", point.utilization()).put("score", point.score() / SCORE_FACTOR);
            list.add(written, PolicyItems.remark(items));
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
                list.add(YamlMap.flow().put("name", name).put("weight", weight), PolicyItems.remark(items)));
        return list;
    }

    /** Weights of resources go from 1 to 100; larger ones are shrunk together. */
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
                    FindingTexts.of(
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
                        draft.atLeast(22)
                                ? FindingTexts.of(
                                        "skips resources a node lacks",
                                        "The same formula. A resource that a node does not have at all is omitted with its"
                                                + " weight, where v1.17 scores it 0.")
                                : Draft.SAME_FORMULA);
            case MOST ->
                draft.findings.info(
                        FindingCode.M016,
                        items,
                        draft.atLeast(20)
                                ? FindingTexts.of(
                                        "overcommitted nodes score 100",
                                        "The same formula. A node whose requests exceed its capacity scores 100 for the resource;"
                                                + " in v1.17, 0 (1100 of 1000).")
                                : Draft.SAME_FORMULA);
            default -> ratioNumbers(items);
        }
    }

    private void ratioNumbers(List<PolicyItem> items) {
        if (!draft.atLeast(22)) {
            draft.findings.exact(FindingCode.M018, items, Draft.SAME_FORMULA);
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
                FindingTexts.of(extended ? "missing resources are omitted" : "rounding differs", text)
                        .fixedBy(
                                extended ? "taint these nodes" : "",
                                extended
                                        ? "Taint the nodes of the resource to keep pods that do not request it away."
                                        : ""));
    }
}
