package io.policyscheduler.engine.algorithm;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The sentence {@code 0/5 nodes are available: 2 Insufficient cpu, 3 node(s) were unschedulable.} The parts are sorted as strings,
 * so 10 precedes 2. Mirrors {@code FitError.Error} of {@code pkg/scheduler/core/generic_scheduler.go}.
 */
public final class FitErrorText {
    /** The failure of a node whose object is gone. */
    public static final String NODE_BEING_DELETED = "node being deleted";

    private FitErrorText() {}

    /** The sentence for these failures; a reason counts once per occurrence. */
    public static String of(int nodeCount, Collection<NodeFailure> failures) {
        Map<String, Integer> counts = new HashMap<>();
        for (NodeFailure failure : failures) {
            for (String reason : failure.reasons()) {
                counts.merge(reason, 1, Integer::sum);
            }
        }
        return of(nodeCount, counts);
    }

    /** The sentence of current releases without reasons; 1.17 ends it with a period. */
    public static String withoutReasons(int nodeCount) {
        return "0/" + nodeCount + " nodes are available:";
    }

    /** The sentence for these counts of reasons. */
    public static String of(int nodeCount, Map<String, Integer> counts) {
        List<String> parts = new ArrayList<>(counts.size());
        counts.forEach((reason, count) -> parts.add(count + " " + reason));
        Collections.sort(parts);
        return "0/" + nodeCount + " nodes are available: " + String.join(", ", parts) + ".";
    }
}
