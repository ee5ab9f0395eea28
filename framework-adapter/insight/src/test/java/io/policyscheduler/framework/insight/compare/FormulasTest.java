package io.policyscheduler.framework.insight.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.policyscheduler.engine.algorithm.KnownAlgorithms;
import io.policyscheduler.framework.insight.compare.CauseTexts.Formulas;
import java.util.List;
import java.util.Set;
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
            String text = Formulas.difference(List.of(priority));
            if (SILENT.contains(priority)) {
                assertNull(text, priority);
                continue;
            }
            assertNotNull(text, priority);
            String plugin = KnownAlgorithms.scorePlugin(priority);
            if (!plugin.isEmpty()) {
                assertEquals(text, Formulas.difference(List.of(plugin)), priority);
            }
        }
    }

    @Test
    void severalAreToldOnce() {
        String spread = Formulas.difference(List.of("SelectorSpreadPriority"));
        assertEquals(spread, Formulas.difference(List.of("SelectorSpreadPriority", "ServiceSpreadingPriority")));
        assertEquals(
                spread + " " + Formulas.difference(List.of("ServiceAffinity")),
                Formulas.difference(List.of("SelectorSpreadPriority", "ServiceAffinity", "unknown")));
    }
}
