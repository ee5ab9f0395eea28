package io.policyscheduler.tests.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Pods of a profile of today on the embedded server get and wait as the real kube-scheduler of 1.34 lets them. */
@Timeout(120)
class QueueTest {
    private static void assertStates(List<String> expected, EmbeddedServer server, Supplier<List<String>> steps) {
        try (server;
                ModernScheduler ours = ModernScheduler.start(server)) {
            assertEquals(String.join("\n", expected), String.join("\n", steps.get()));
        }
    }

    @Test
    void podsGetAndWaitAsToday() {
        EmbeddedServer server = new EmbeddedServer();
        assertStates(QueueStates.EXPECTED, server, new QueueScenario(server)::run);
    }

    @Test
    void podsGetDevicesAsToday() {
        EmbeddedServer server = EmbeddedServer.withControllers();
        assertStates(ClaimStates.EXPECTED, server, new ClaimScenario(server)::run);
    }

    @Test
    void severalPodsGoAsToday() {
        EmbeddedServer server = new EmbeddedServer();
        assertStates(QueueStates.OF_VICTIMS, server, new VictimScenario(server)::run);
    }
}
