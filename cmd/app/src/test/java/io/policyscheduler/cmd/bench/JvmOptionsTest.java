package io.policyscheduler.cmd.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.cmd.bench.BenchReport.JvmOptions;
import java.util.List;
import org.junit.jupiter.api.Test;

class JvmOptionsTest {
    @Test
    void optionsThatAffectMeasurementsAreShown() {
        assertEquals(
                "note: measured with the JVM options -XX:+UseSerialGC -Xms96m",
                JvmOptions.note(List.of(
                        "-XX:+ExitOnOutOfMemoryError",
                        "-XX:SharedArchiveFile=/a/run.jsa",
                        "-Xshare:auto",
                        "-Xlog:disable",
                        "-XX:+UseSerialGC",
                        "-Xms96m",
                        "-Dpolicyscheduler.home=/a")));
    }

    @Test
    void otherOptionsAreLeftOut() {
        assertEquals("note: measured with the default JVM options", JvmOptions.note(List.of("-Da=b", "-ea")));
    }
}
