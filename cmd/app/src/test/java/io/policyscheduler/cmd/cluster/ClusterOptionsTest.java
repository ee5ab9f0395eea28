package io.policyscheduler.cmd.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.policyscheduler.cmd.cluster.ClusterCommand.ServerOptions;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.engine.cluster.release.Release;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

class ClusterOptionsTest {
    @Command
    private static final class Host {
        @Mixin
        private final ServerOptions options = new ServerOptions();
    }

    private static ServerOptions options(String release) {
        return CommandLine.populateCommand(new Host(), "--release", release).options;
    }

    @ParameterizedTest
    @CsvSource({
        "1.17, 1.17",
        "v1.17, 1.17",
        "1.34, 1.34",
        "v1.34, 1.34",
        "1.20, 1.20",
        "modern, " + Release.NEWEST_TEXT,
        "1.35, 1.35",
        "v1.36, 1.36"
    })
    void releasesGoByTheirNumbers(String release, String expected) {
        assertEquals(expected, options(release).release().toString());
    }

    @Test
    void anotherReleaseIsRefused() {
        InputException refused =
                assertThrows(InputException.class, () -> options("1.16").release());
        assertEquals(
                "--release: \"1.16\" is not a release from 1.17 to " + Release.NEWEST_TEXT + " (modern)",
                refused.getMessage());
    }
}
