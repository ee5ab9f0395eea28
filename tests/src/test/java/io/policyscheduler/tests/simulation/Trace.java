package io.policyscheduler.tests.simulation;

import java.util.ArrayList;
import java.util.List;

/** The steps of a run, one line each. */
final class Trace {
    private final VirtualTime time;
    private final List<Line> lines = new ArrayList<>();
    private final boolean keepsAll;
    private long steps;

    /** @param keepsAll whether all lines are kept, or only the last ones */
    Trace(VirtualTime time, boolean keepsAll) {
        this.time = time;
        this.keepsAll = keepsAll;
    }

    void add(String line) {
        steps++;
        if (!keepsAll && lines.size() >= 400) {
            lines.subList(0, 200).clear();
        }
        lines.add(new Line(time.now(), line));
    }

    private record Line(long millis, String text) {
        @Override
        public String toString() {
            return millis / 1000 + "." + String.valueOf(1000 + millis % 1000).substring(1) + "  " + text;
        }
    }

    private static List<String> texts(List<Line> lines) {
        return lines.stream().map(Line::toString).toList();
    }

    /** Returns the number of lines that were ever added. */
    long steps() {
        return steps;
    }

    List<String> lines() {
        return texts(lines);
    }

    /** Returns the newest lines. */
    List<String> last(int count) {
        return texts(lines.subList(Math.max(0, lines.size() - count), lines.size()));
    }
}
