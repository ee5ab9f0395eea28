package io.policyscheduler.cmd.replay;

import java.util.List;

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
