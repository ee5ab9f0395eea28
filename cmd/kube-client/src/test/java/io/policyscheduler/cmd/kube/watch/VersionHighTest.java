package io.policyscheduler.cmd.kube.watch;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.cmd.kube.watch.ReflectorState.HighestVersion;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class VersionHighTest {
    @ParameterizedTest
    @CsvSource({
        "7, 9, 8, true",
        "7, 9, 9, false",
        "7, 9, 10, false",
        "10, 3, 9, true",
        "10, 3, 10, false",
        "10, opaque, 9, true",
        "opaque, opaque, 9, false",
        "10, 11, opaque, false",
        "10, 11, '', false",
        "10, 11, -1, false",
        "999999999999999999, 1, 999999999999999998, true",
        "9999999999999999999, 2, 1, true",
    })
    void comparesWithListAndEvents(String listed, String seen, String now, boolean isAbove) {
        HighestVersion high = new HighestVersion();
        high.saw("1000");
        high.listed(listed);
        high.saw(seen);
        assertEquals(isAbove, high.isAbove(now));
    }
}
