package io.policyscheduler.tests.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.tests.e2e.Manifest;
import io.policyscheduler.tests.e2e.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The leader is killed while it binds; the nodes are exactly full, so that any mistake overcommits one. */
@Tag("real")
@Timeout(600)
class LeaderKilledTest {
    private static final int NODES = 300;
    private static final int PODS_PER_NODE = 20;
    private static final int PODS = NODES * PODS_PER_NODE;
    private static final Duration LIMIT = Duration.ofMinutes(3);

    private final FaultFixture fixture = new FaultFixture();

    @AfterEach
    void close() {
        fixture.close();
    }

    private Program start(Path folder, String name) throws IOException {
        return Program.start(
                Files.createDirectory(folder.resolve(name)),
                "run",
                "--master",
                fixture.proxy().url(),
                "--leader-elect",
                "--status-address",
                "0");
    }

    @Test
    void podsThatFillAllNodesExactlyAreAllBoundByTheOther(@TempDir Path folder) throws IOException {
        fixture.addNodes(NODES, "32");
        try (Program first = start(folder, "first")) {
            fixture.await("the first one leads", () -> first.output().contains("successfully acquired lease"));
            try (Program second = start(folder, "second")) {
                for (int i = 0; i < PODS; i++) {
                    fixture.server().load(Manifest.pod("p" + i, "1600m"));
                    if (i == PODS / 2) {
                        fixture.await(
                                "binds are under way", () -> fixture.proxy().count(FaultFixture.binds()) >= PODS / 4);
                        first.kill();
                    }
                }
                fixture.await(
                        LIMIT, "all pods are bound", () -> fixture.server().bound() == PODS);
                assertEquals(List.of(), fixture.server().violations(), second::output);
            }
        }
    }
}
