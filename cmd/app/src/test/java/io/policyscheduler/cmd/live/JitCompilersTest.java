package io.policyscheduler.cmd.live;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.cmd.live.LiveScheduler.JitCompilers;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** C2 is enabled on large clusters, and only if the launcher has left it disabled for this. */
class JitCompilersTest {
    @ParameterizedTest
    @CsvSource({"by-size, 1999, false", "by-size, 2000, true", "'', 2000, false", "'', 20000, false"})
    void isSelectedByTheNumberOfNodes(String property, int nodes, boolean isBoth) {
        assertEquals(isBoth, JitCompilers.isBoth(property, nodes));
    }
}
