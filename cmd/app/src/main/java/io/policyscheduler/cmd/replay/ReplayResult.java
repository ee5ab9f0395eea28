package io.policyscheduler.cmd.replay;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** What came of comparing one file in one mode. Filled by {@link ReplayRun}. */
final class ReplayResult {
    /** A scenario that came out differently, with a line for each difference. */
    public record Difference(String scenario, List<String> lines) {
        public Difference {
            lines = List.copyOf(lines);
        }
    }

    private final String file;
    private final ReplayMode mode;
    private int scenarios;
    private int equal;
    private final List<Difference> differences = new ArrayList<>();
    private final SortedMap<String, Integer> excepted = new TreeMap<>();
    private final SortedMap<String, Integer> skipped = new TreeMap<>();

    ReplayResult(String file, ReplayMode mode) {
        this.file = file;
        this.mode = mode;
    }

    void add(ComparedScenario comparison) {
        scenarios++;
        switch (comparison.kind()) {
            case EQUAL -> equal++;
            case DIFFERENT -> differences.add(new Difference(comparison.scenario(), comparison.lines()));
            case EXCEPTED -> excepted.merge(String.join(", ", comparison.lines()), 1, Integer::sum);
            case SKIPPED -> skipped.merge(String.join(", ", comparison.lines()), 1, Integer::sum);
        }
    }

    /** The file, as named by the user. */
    public String file() {
        return file;
    }

    /** How the algorithms were run. */
    public ReplayMode mode() {
        return mode;
    }

    /** All scenarios of the file that were looked at. */
    public int scenarios() {
        return scenarios;
    }

    /** Scenarios that came out as recorded. */
    public int equal() {
        return equal;
    }

    /** Scenarios whose outcomes were compared. */
    public int compared() {
        return equal + differences.size();
    }

    /** Scenarios that came out differently. */
    public List<Difference> differences() {
        return Collections.unmodifiableList(differences);
    }

    /** Why scenarios are not compared, and how many. */
    public SortedMap<String, Integer> excepted() {
        return Collections.unmodifiableSortedMap(excepted);
    }

    /** Algorithms that this program lacks, and how many scenarios name them. */
    public SortedMap<String, Integer> skipped() {
        return Collections.unmodifiableSortedMap(skipped);
    }

    /**
     * What came of comparing one scenario in one mode.
     *
     * @param lines the differences, the reason of an exception, or the names of algorithms that are not built in
     */
    record ComparedScenario(String scenario, Kind kind, List<String> lines) {
        enum Kind {
            EQUAL,
            DIFFERENT,
            EXCEPTED,
            SKIPPED
        }

        ComparedScenario {
            lines = List.copyOf(lines);
        }
    }
}
