package io.policyscheduler.framework.insight.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.policyscheduler.engine.algorithm.KnownAlgorithms;
import io.policyscheduler.framework.insight.compare.CauseTexts.Formulas;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class FormulasTest {
    /** Algorithms whose formula is unchanged, or that have no counterpart. */
    private static final Set<String> SILENT = Set.of(
            "TaintTolerationPriority",
            "NodeAffinityPriority",
            "NodePreferAvoidPodsPriority",
            KnownAlgorithms.NODE_LABEL,
            KnownAlgorithms.RESOURCE_LIMITS_PRIORITY);

    @Test
    void tellsOfEachPriorityAndItsPlugin() {
        for (String priority : KnownAlgorithms.priorities()) {
            String text = difference(List.of(priority));
            if (SILENT.contains(priority)) {
                assertNull(text, priority);
                continue;
            }
            assertNotNull(text, priority);
            String plugin = KnownAlgorithms.scorePlugin(priority);
            if (!plugin.isEmpty()) {
                assertEquals(text, difference(List.of(plugin)), priority);
            }
        }
    }

    @Test
    void severalHaveNames() {
        String spread = difference(List.of("SelectorSpreadPriority"));
        assertEquals(spread, difference(List.of("SelectorSpreadPriority", "ServiceSpreadingPriority")));
        assertEquals(
                "SELECTORSPREADPRIORITY: " + spread + " SERVICEAFFINITY: " + difference(List.of("ServiceAffinity")),
                Formulas.difference(
                        List.of("SelectorSpreadPriority", "ServiceAffinity", "unknown"),
                        name -> name.toUpperCase(Locale.ROOT)));
    }

    private static @Nullable String difference(List<String> algorithms) {
        return Formulas.difference(algorithms, name -> name);
    }
}
