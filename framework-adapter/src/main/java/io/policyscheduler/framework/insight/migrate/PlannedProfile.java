package io.policyscheduler.framework.insight.migrate;

import io.policyscheduler.framework.insight.migrate.yaml.YamlMap;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What the profile has to run, however it is written down: filters, scores and arguments, and the entries behind them. */
final class PlannedProfile {
    /** A score plugin. */
    record Score(long weight, List<PolicyItem> items) {}

    private final Map<String, List<PolicyItem>> filters = new LinkedHashMap<>();
    private final Map<String, Score> scores = new LinkedHashMap<>();
    private final Map<String, YamlMap> arguments = new LinkedHashMap<>();

    /** Adds a filter behind the others, or entries to one that is there. */
    void filter(String plugin, List<PolicyItem> items) {
        filters.computeIfAbsent(plugin, unused -> new ArrayList<>()).addAll(items);
    }

    /** Adds a score plugin, or weight to one that is there. */
    void score(String plugin, long weight, List<PolicyItem> items) {
        Score before = scores.getOrDefault(plugin, new Score(0, List.of()));
        List<PolicyItem> all = new ArrayList<>(before.items());
        all.addAll(items);
        scores.put(plugin, new Score(saturatedAdd(before.weight(), weight), all));
    }

    /** Replaces a weight. */
    void weight(String plugin, long weight) {
        scores.computeIfPresent(plugin, (unused, score) -> new Score(weight, score.items()));
    }

    /** The arguments of a plugin, to be filled in. */
    YamlMap arguments(String plugin) {
        return arguments.computeIfAbsent(plugin, unused -> YamlMap.block());
    }

    /** Filters in the order in which they run. */
    Map<String, List<PolicyItem>> filters() {
        return filters;
    }

    Map<String, Score> scores() {
        return scores;
    }

    /** Arguments by plugin, those that differ from the defaults or say them for the reader. */
    Map<String, YamlMap> arguments() {
        return arguments;
    }

    /** The entries behind a plugin; empty if the plan does not have it. */
    List<PolicyItem> items(String plugin) {
        List<PolicyItem> items = new ArrayList<>(filters.getOrDefault(plugin, List.of()));
        items.addAll(scores.getOrDefault(plugin, new Score(0, List.of())).items());
        return items;
    }

    boolean uses(String plugin) {
        return filters.containsKey(plugin) || scores.containsKey(plugin);
    }

    private static long saturatedAdd(long a, long b) {
        return a > Long.MAX_VALUE - b ? Long.MAX_VALUE : a + b;
    }
}
