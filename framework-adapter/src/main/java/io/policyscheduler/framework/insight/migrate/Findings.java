package io.policyscheduler.framework.insight.migrate;

import io.policyscheduler.engine.document.SourcePosition;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Collects findings. */
final class Findings {
    /** Stands for a plugin in findings about algorithms that run in an extender. */
    private static final String EXTENDER = "extender";

    private final List<Entry> entries = new ArrayList<>();

    private record Entry(
            FindingCode code, Level level, Fidelity fidelity, List<PolicyItem> items, FindingTexts texts) {}

    void exact(FindingCode code, List<PolicyItem> items, FindingTexts texts) {
        add(code, Level.INFO, Fidelity.EXACT, items, texts);
    }

    /** Adds a remark; without an effect, nothing differs. */
    void info(FindingCode code, List<PolicyItem> items, FindingTexts texts) {
        Fidelity fidelity = texts.effect().isEmpty() ? Fidelity.EXACT : Fidelity.APPROXIMATED;
        add(code, Level.INFO, fidelity, items, texts);
    }

    void warn(FindingCode code, List<PolicyItem> items, FindingTexts texts) {
        add(code, Level.WARN, Fidelity.APPROXIMATED, items, texts);
    }

    void add(FindingCode code, Level level, Fidelity fidelity, List<PolicyItem> items, FindingTexts texts) {
        entries.add(new Entry(code, level, fidelity, List.copyOf(items), texts));
    }

    /** Returns the findings, the most severe first, otherwise in the order in which they were added. */
    List<Finding> all(PlannedProfile plan) {
        return entries.stream()
                .map(entry -> finding(entry, plan))
                .sorted(Comparator.comparing(Finding::level))
                .toList();
    }

    private static Finding finding(Entry entry, PlannedProfile plan) {
        List<PolicyItem> items = entry.items();
        SourcePosition position =
                items.isEmpty() ? SourcePosition.UNKNOWN : items.get(0).position();
        List<String> names = items.stream().map(PolicyItem::name).distinct().toList();
        boolean extender = entry.code() == FindingCode.M005 || entry.code() == FindingCode.M008;
        List<String> plugins = extender ? List.of(EXTENDER) : plugins(items, plan);
        return new Finding(entry.code(), entry.level(), entry.fidelity(), names, position, plugins, entry.texts());
    }

    private static List<String> plugins(List<PolicyItem> items, PlannedProfile plan) {
        Set<String> plugins = new LinkedHashSet<>();
        plan.filters().forEach((plugin, behind) -> {
            if (behind.stream().anyMatch(items::contains)) {
                plugins.add(plugin);
            }
        });
        plan.scores().forEach((plugin, score) -> {
            if (score.items().stream().anyMatch(items::contains)) {
                plugins.add(plugin);
            }
        });
        return List.copyOf(plugins);
    }
}
