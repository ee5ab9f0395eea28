package io.policyscheduler.tests;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Counts how the decisions of a reference program compare with ours. Not thread-safe. */
final class OracleFindings {
    /** The decision is the same. */
    static final String EQUAL = "equal";
    /** The reference program varies between runs and sometimes decides as we do. */
    static final String EQUAL_AT_TIMES = "equal at times";
    /** The reference program varies between runs and never decided as we do, for example because two random choices meet. */
    static final String VARIES = "varies";
    /** The reference program crashed. */
    static final String DIED = "died";

    private static final int MANY = 1000;

    private final List<String> differences = new ArrayList<>();
    private final Map<String, Integer> counts = new TreeMap<>();

    /** A line that starts with the property that repeats the snapshot. */
    void differs(String line) {
        differences.add(line);
    }

    void count(String what) {
        counts.merge(what, 1, Integer::sum);
    }

    void add(OracleFindings other) {
        differences.addAll(other.differences);
        other.counts.forEach((what, times) -> counts.merge(what, times, Integer::sum));
    }

    /** Returns the counts of all findings. */
    List<String> differences() {
        return differences;
    }

    int counted(String what) {
        return counts.getOrDefault(what, 0);
    }

    /** Counts the results of the pods of an outcome, and the plugins that took part. */
    void countPods(JsonNode outcome) {
        if (outcome.has("configError")) {
            count("refused");
        }
        for (JsonNode pod : outcome.path("pods")) {
            if (pod.has("bound")) {
                count(pod.path("failures").isEmpty() ? "placed, fits everywhere" : "placed");
            } else if (pod.has("gated")) {
                count("gated");
            } else if (!pod.path("preemption").path("candidates").isEmpty()) {
                count("preempts");
            } else if (pod.path("preemption").path("eligible").asBoolean(true)) {
                count("fits nowhere");
            } else {
                count("may not preempt");
            }
            for (JsonNode failure : pod.path("failures")) {
                if (failure.has("plugin")) {
                    count(failure.path("plugin").asText());
                } else {
                    failure.path("reasons").forEach(reason -> count(reason.asText()));
                }
            }
            pod.path("scores").fieldNames().forEachRemaining(this::count);
        }
    }

    /** Returns the differences, one per line; empty if there are none. */
    String text() {
        return String.join("\n", differences);
    }

    /**
     * Fails unless enough snapshots are decided alike in every run and the random snapshots cover enough.
     *
     * @param varying the percentage of snapshots that may vary between runs
     * @param required what must be counted at least once
     */
    void assertEnough(int varying, Set<String> required) {
        int all = counted(EQUAL) + counted(EQUAL_AT_TIMES) + counted(VARIES);
        assertTrue(all > 0, () -> "the reference program decided nothing: " + this);
        if (all >= MANY) {
            assertTrue(100 * counted(VARIES) <= varying * all, this::toString);
            assertTrue(counts.keySet().containsAll(required), this::toString);
        }
    }

    @Override
    public String toString() {
        return counts.toString();
    }
}
