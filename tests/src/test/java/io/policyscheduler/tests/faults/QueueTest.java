package io.policyscheduler.tests.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.cluster.release.Release;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** With a modern profile on the embedded server, pods reach the states recorded from kube-scheduler 1.34. */
@Timeout(120)
class QueueTest {
    @ParameterizedTest
    @EnumSource
    void podsGetAndWaitAsToday(Scenario scenario) throws Exception {
        try (EmbeddedServer server = EmbeddedServer.withControllersFor(scenario)) {
            List<String> actual =
                    scenario.run(server, extenders -> ModernScheduler.start(Release.V1_34, server, extenders));
            assertEquals(String.join("\n", scenario.expected()), String.join("\n", actual));
        }
    }
}
