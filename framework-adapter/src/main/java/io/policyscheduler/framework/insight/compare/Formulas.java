package io.policyscheduler.framework.insight.compare;

import com.google.common.collect.ImmutableMap;
import io.policyscheduler.engine.algorithm.KnownAlgorithm;
import io.policyscheduler.engine.algorithm.KnownAlgorithms;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** How the score plugins of current releases compute otherwise than the priorities of v1.17 that they stand for. */
final class Formulas {
    private static final String SPREAD =
            "v1.17 compares with the fullest node and zone among those that fit, zones counting"
                    + " two thirds; today pods on all nodes count, by logarithmic weights, and only topology.kubernetes.io/zone is a"
                    + " zone";
    private static final String RATIO =
            "v1.17 rounds utilisation up and takes a resource that the node lacks as full; today it"
                    + " is rounded down and the resource ignored, and the scoringStrategy is LeastAllocated unless configured";

    private static final ImmutableMap<String, String> BY_PRIORITY = table();

    private Formulas() {}

    /**
     * What differs in the formula.
     *
     * @param algorithms priorities or plugins of v1.17
     * @return null where the formula is the same, or nothing is known
     */
    static @Nullable String difference(Collection<String> algorithms) {
        Set<String> texts = new LinkedHashSet<>();
        for (String algorithm : algorithms) {
            String text = BY_PRIORITY.get(algorithm);
            if (text != null) {
                texts.add(text);
            }
        }
        return texts.isEmpty() ? null : String.join("; ", texts);
    }

    private static ImmutableMap<String, String> table() {
        ImmutableMap.Builder<String, String> table = ImmutableMap.builder();
        String least = "today a resource that the node lacks is ignored, and the scoringStrategy may be another one";
        table.put("LeastRequestedPriority", least);
        String most =
                "v1.17 prefers full nodes; today the scoringStrategy is LeastAllocated, which prefers empty ones, unless"
                        + " configured";
        table.put("MostRequestedPriority", most);
        table.put("RequestedToCapacityRatioPriority", RATIO);
        table.put(KnownAlgorithms.REQUESTED_TO_CAPACITY_RATIO, RATIO);
        String balance =
                "v1.17 takes off the whole difference of the shares of cpu and memory, with default requests, and"
                        + " gives 0 to full nodes; today half the difference of the real requests";
        table.put("BalancedResourceAllocation", balance);
        table.put("SelectorSpreadPriority", SPREAD);
        table.put(KnownAlgorithms.SERVICE_SPREADING_PRIORITY, SPREAD);
        table.put(
                KnownAlgorithms.SERVICE_AFFINITY,
                "v1.17 gives a value of the label the share of the service's pods on other values; the current plugin compares it"
                        + " with the emptiest and the fullest one");
        String even =
                "v1.17 counts pods of all namespaces and terminating ones; today it weighs constraints and counts the"
                        + " pod's namespace only";
        table.put(KnownAlgorithms.EVEN_PODS_SPREAD_PRIORITY, even);
        String pods = "v1.17 scales from 0 to the highest sum; today from the lowest to the highest";
        table.put("InterPodAffinityPriority", pods);
        String images =
                "v1.17 looks at regular containers, with one limit for all; today init containers count too, and the"
                        + " limit grows with their number";
        table.put("ImageLocalityPriority", images);
        Map<String, String> texts = table.buildOrThrow();
        for (KnownAlgorithm priority : KnownAlgorithms.priorityRows()) {
            String text = texts.get(priority.name());
            if (text != null && !priority.plugin().isEmpty()) {
                table.put(priority.plugin(), text);
            }
        }
        return table.buildKeepingLast();
    }
}
