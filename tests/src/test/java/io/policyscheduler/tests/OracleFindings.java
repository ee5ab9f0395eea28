package io.policyscheduler.tests;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** What became of worlds that a real program was asked about; not for several threads. */
final class OracleFindings {
    /** Of a world that is decided alike. */
    static final String EQUAL = "equal";
    /** Of a world that the real program decides now so, now so, and at times as we do. */
    static final String EQUAL_AT_TIMES = "equal at times";
    /** Of a world that the real program decides now so, now so, and never as we do: where two choices meet, say. */
    static final String VARIES = "varies";
    /** Of a world over which the real program dies. */
    static final String DIED = "died";

    private static final int MANY = 1000;

    private final List<String> differences = new ArrayList<>();
    private final Map<String, Integer> counts = new TreeMap<>();

    /** A line that begins with the property that repeats the world. */
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

    /** All of them. */
    List<String> differences() {
        return differences;
    }

    int counted(String what) {
        return counts.getOrDefault(what, 0);
    }

    /** Counts what became of the pods of an outcome, and who had a say in it. */
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

    /** The differences, one a line; empty without any. */
    String text() {
        return String.join("\n", differences);
    }

    /**
     * Sees to it that so many worlds as this are decided always the same, and that a thousand of them try enough.
     *
     * @param varying how many in a hundred may be decided now so, now so
     * @param wanted what has to be counted at least once
     */
    void assertEnough(int varying, Set<String> wanted) {
        int all = counted(EQUAL) + counted(EQUAL_AT_TIMES) + counted(VARIES);
        if (all >= MANY) {
            assertTrue(100 * counted(VARIES) <= varying * all, this::toString);
            assertTrue(counts.keySet().containsAll(wanted), this::toString);
        }
    }

    @Override
    public String toString() {
        return counts.toString();
    }
}
