package io.policyscheduler.tests.simulation;

import java.util.ArrayList;
import java.util.List;

/** What happened, a line a step. */
final class Trace {
    private final VirtualTime time;
    private final List<String> lines = new ArrayList<>();
    private final boolean keepsAll;
    private long steps;

    /** @param keepsAll or only the last lines */
    Trace(VirtualTime time, boolean keepsAll) {
        this.time = time;
        this.keepsAll = keepsAll;
    }

    void add(String line) {
        steps++;
        if (!keepsAll && lines.size() >= 400) {
            lines.subList(0, 200).clear();
        }
        long now = time.now();
        String millis = String.valueOf(1000 + now % 1000).substring(1);
        lines.add(now / 1000 + "." + millis + "  " + line);
    }

    /** Number of lines ever added. */
    long steps() {
        return steps;
    }

    List<String> lines() {
        return List.copyOf(lines);
    }

    /** The newest lines. */
    List<String> last(int count) {
        return List.copyOf(lines.subList(Math.max(0, lines.size() - count), lines.size()));
    }
}
