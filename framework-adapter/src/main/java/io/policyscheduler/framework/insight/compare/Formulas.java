package io.policyscheduler.framework.insight.compare;

import com.google.common.collect.ImmutableMap;
import io.policyscheduler.engine.algorithm.KnownAlgorithm;
import io.policyscheduler.engine.algorithm.KnownAlgorithms;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The differences between the formulas of score plugins of current releases and the priorities of v1.17 that they replace. */
final class Formulas {
    private static final String SPREAD =
            "v1.17 compares each node and its zone with the feasible node and zone that have the most pods, and the zone"
                    + " has 2/3 of the weight; current releases count the pods on all nodes, with logarithmic weights, and use"
                    + " only the zone label topology.kubernetes.io/zone";
    private static final String RATIO =
            "v1.17 rounds the utilization up and treats a resource that the node does not have as full; current"
                    + " releases round it down, ignore such a resource, and use the scoringStrategy LeastAllocated by default";

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
        String least =
                "current releases ignore a resource that the node does not have, and the scoringStrategy can be different";
        table.put("LeastRequestedPriority", least);
        String most =
                "v1.17 prefers full nodes; current releases use the scoringStrategy LeastAllocated by default, which prefers"
                        + " empty nodes";
        table.put("MostRequestedPriority", most);
        table.put("RequestedToCapacityRatioPriority", RATIO);
        table.put(KnownAlgorithms.REQUESTED_TO_CAPACITY_RATIO, RATIO);
        String balance =
                "v1.17 subtracts the difference between the shares of CPU and memory, uses default requests, and gives 0 to"
                        + " full nodes; current releases subtract half of the difference, and use the actual requests";
        table.put("BalancedResourceAllocation", balance);
        table.put("SelectorSpreadPriority", SPREAD);
        table.put(KnownAlgorithms.SERVICE_SPREADING_PRIORITY, SPREAD);
        table.put(
                KnownAlgorithms.SERVICE_AFFINITY,
                "v1.17 scores a label value by the share of the service's pods on other values; the current plugin scales"
                        + " between the values with the fewest and the most pods");
        String even =
                "v1.17 counts the pods of all namespaces, and terminating pods; current releases weight the constraints,"
                        + " and count only pods of the same namespace";
        table.put(KnownAlgorithms.EVEN_PODS_SPREAD_PRIORITY, even);
        String pods =
                "v1.17 scales from 0 to the highest sum; current releases scale from the lowest to the highest sum";
        table.put("InterPodAffinityPriority", pods);
        String images =
                "v1.17 counts regular containers, with one limit for all of them; current releases also count init"
                        + " containers, and the limit is higher for more containers";
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
