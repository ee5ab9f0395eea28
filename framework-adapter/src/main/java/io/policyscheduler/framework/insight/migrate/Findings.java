package io.policyscheduler.framework.insight.migrate;

import io.policyscheduler.engine.document.SourcePosition;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Collects findings. */
final class Findings {
    private final List<Finding> found = new ArrayList<>();

    void exact(FindingCode code, List<PolicyItem> items, String text) {
        add(code, Level.INFO, Fidelity.EXACT, items, text, "");
    }

    void info(FindingCode code, List<PolicyItem> items, String text) {
        add(code, Level.INFO, Fidelity.APPROXIMATED, items, text, "");
    }

    void warn(FindingCode code, List<PolicyItem> items, String text, String wayOut) {
        add(code, Level.WARN, Fidelity.APPROXIMATED, items, text, wayOut);
    }

    void add(FindingCode code, Level level, Fidelity fidelity, List<PolicyItem> items, String text, String wayOut) {
        SourcePosition position =
                items.isEmpty() ? SourcePosition.UNKNOWN : items.get(0).position();
        found.add(new Finding(code, level, fidelity, PolicyItems.names(items), position, text, wayOut));
    }

    /** The gravest first, otherwise as they were added. */
    List<Finding> all() {
        return found.stream().sorted(Comparator.comparing(Finding::level)).toList();
    }
}
