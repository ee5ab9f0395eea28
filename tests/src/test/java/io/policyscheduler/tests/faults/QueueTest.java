package io.policyscheduler.tests.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Pods of a profile of today on the embedded server get and wait as the real kube-scheduler of 1.34 lets them. */
@Timeout(120)
class QueueTest {
    @Test
    void podsGetAndWaitAsToday() {
        try (EmbeddedServer server = new EmbeddedServer();
                ModernScheduler ours = ModernScheduler.start(server)) {
            assertEquals(String.join("\n", QueueStates.EXPECTED), String.join("\n", new QueueScenario(server).run()));
        }
    }
}
