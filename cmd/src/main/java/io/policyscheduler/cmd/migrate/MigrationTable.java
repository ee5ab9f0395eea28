package io.policyscheduler.cmd.migrate;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.framework.insight.migrate.Fidelity;
import io.policyscheduler.framework.insight.migrate.Finding;
import io.policyscheduler.framework.insight.migrate.FindingCode;
import io.policyscheduler.framework.insight.migrate.Level;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The findings of a migration as rows: first those about algorithms, the most severe first, then the other changes. Text,
 * Markdown, and HTML show the same rows in the same order.
 */
final class MigrationTable {
    /** The length of the longest name of an algorithm of Kubernetes. */
    private static final int SUBJECT = "NodePreferAvoidPodsPriority".length();

    private static final String SAME = "same";
    private static final String SIMILAR = "similar";
    private static final String DIFFERS = "DIFFERS";
    private static final String LOST = "LOST";

    private static final Map<FindingCode, String> SUBJECTS = Map.ofEntries(
            Map.entry(FindingCode.M015, "shared weight"),
            Map.entry(FindingCode.M030, "affinity weight"),
            Map.entry(FindingCode.M031, "check all predicates"),
            Map.entry(FindingCode.M040, "required plugins"),
            Map.entry(FindingCode.M041, "default filters"),
            Map.entry(FindingCode.M042, "default filters"),
            Map.entry(FindingCode.M043, "priorities"),
            Map.entry(FindingCode.M044, "predicates"),
            Map.entry(FindingCode.M045, "weights"),
            Map.entry(FindingCode.M050, "extender"),
            Map.entry(FindingCode.M051, "extender"),
            Map.entry(FindingCode.M052, "arguments"),
            Map.entry(FindingCode.M060, "flags"),
            Map.entry(FindingCode.M061, "event texts"),
            Map.entry(FindingCode.M062, "preemption"),
            Map.entry(FindingCode.M063, "pod fields"),
            Map.entry(FindingCode.M064, "release"));

    private static final Comparator<Finding> MOST_SEVERE_FIRST =
            Comparator.comparing(Finding::fidelity).reversed().thenComparing(Finding::level);

    private final List<Finding> algorithms;
    private final List<Finding> others;
    private final Map<String, Finding> worst = new LinkedHashMap<>();

    MigrationTable(List<Finding> findings) {
        algorithms = findings.stream()
                .filter(finding -> finding.code().aboutAlgorithm())
                .sorted(MOST_SEVERE_FIRST)
                .toList();
        others = findings.stream()
                .filter(finding -> !finding.code().aboutAlgorithm())
                .toList();
        algorithms.forEach(finding -> finding.items().forEach(item -> worst.putIfAbsent(item, finding)));
    }

    /** Returns the findings about algorithms, the most severe first. */
    List<Finding> algorithms() {
        return algorithms;
    }

    /** Returns the findings that are not about one algorithm, the most severe first. */
    List<Finding> others() {
        return others;
    }

    /** Returns the answer: the number of algorithms that are the same, that differ, and that are lost, with their names. */
    String answer() {
        long same = count(SAME);
        long similar = count(SIMILAR);
        long differ = count(DIFFERS);
        List<String> lost = worst.entrySet().stream()
                .filter(entry -> entry.getValue().fidelity() == Fidelity.IMPOSSIBLE)
                .map(Map.Entry::getKey)
                .toList();
        return same + (same == 1 ? " algorithm is" : " algorithms are") + " the same, "
                + (similar == 0 ? "" : similar + (similar == 1 ? " differs" : " differ") + " only in special cases, ")
                + differ + (differ == 1 ? " differs" : " differ") + ", "
                + (lost.isEmpty() ? "none is" : lost.size() + (lost.size() == 1 ? " is" : " are")) + " lost"
                + (lost.isEmpty() ? "" : " (" + String.join(", ", lost) + ")");
    }

    private long count(String result) {
        return worst.values().stream()
                .filter(finding -> result(finding).equals(result))
                .count();
    }

    /** Returns what a finding is about: algorithms, or a setting. */
    static String subject(Finding finding) {
        if (!finding.code().aboutAlgorithm()) {
            return SUBJECTS.getOrDefault(finding.code(), finding.item());
        }
        List<String> items = finding.items();
        return items.size() < 2 || finding.item().length() <= SUBJECT
                ? finding.item()
                : items.get(0) + " +" + (items.size() - 1);
    }

    /** Returns {@code LOST}, {@code DIFFERS}, {@code similar} if only special cases differ, or {@code same}. */
    static String result(Finding finding) {
        return switch (finding.fidelity()) {
            case EXACT -> SAME;
            case APPROXIMATED -> finding.level() == Level.INFO ? SIMILAR : DIFFERS;
            case IMPOSSIBLE -> LOST;
        };
    }

    /** Returns the plugin that replaces the algorithm, and how many more there are. */
    static String plugin(Finding finding) {
        List<String> plugins = finding.plugins();
        return plugins.isEmpty() ? "-" : plugins.get(0) + (plugins.size() == 1 ? "" : " +" + (plugins.size() - 1));
    }

    /** Adds the rows to the data of a page or a comment. */
    void addTo(ObjectNode data) {
        ObjectNode counts = data.putObject("counts");
        List.of(LOST, DIFFERS, SIMILAR, SAME).forEach(result -> counts.put(result, count(result)));
        rows(data.putArray("algorithms"), algorithms);
        rows(data.putArray("others"), others);
    }

    private static void rows(ArrayNode rows, List<Finding> findings) {
        for (Finding finding : findings) {
            rows.addObject()
                    .put("code", finding.code().name())
                    .put("subject", subject(finding))
                    .put("plugin", plugin(finding))
                    .put("result", result(finding))
                    .put(
                            "level",
                            finding.level() == Level.WARN ? "warn" : finding.level() == Level.INFO ? "info" : "error")
                    .put("line", finding.position().line())
                    .put("effect", finding.texts().effect())
                    .put("action", finding.texts().action())
                    .put("text", finding.text())
                    .put("wayOut", finding.wayOut());
        }
    }
}
