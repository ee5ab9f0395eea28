package io.policyscheduler.cmd.history;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.cmd.history.DecisionJson.Changes;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.testing.PodBuilder;
import io.policyscheduler.framework.cycle.Decision;
import io.policyscheduler.framework.scheduler.backend.QueuedPod;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class DecisionChangesTest {
    private final DecisionHistory history = new DecisionHistory(10, InstantSource.fixed(Instant.EPOCH));
    private final Changes changes = new Changes(history, 2);

    private static PodInfo pod(String name) {
        return PodBuilder.pod(name).build();
    }

    private void decide(String name, String node) {
        history.onDecision(pod(name), new Decision(Decision.Kind.PLACED, node, 1, "", 2, 2), 1000);
    }

    private List<String> next() {
        return changes.next().stream()
                .map(one ->
                        one.path("number").asText() + " " + one.path("outcome").asText() + " "
                                + one.path("preemption").path("victimCount").asInt())
                .toList();
    }

    @Test
    void newAndChangedOnesAreToldOnce() {
        decide("a", "n");
        assertEquals(List.of("1 binding 0"), next());
        assertEquals(List.of(), next());
        history.onBound(new QueuedPod(pod("a"), Instant.EPOCH, 1, 1, Instant.EPOCH, Instant.EPOCH, Set.of()), "n", 1);
        assertEquals(List.of("1 bound 0"), next());
        changes.forget();
        assertEquals(List.of("1 bound 0"), next());
    }

    @Test
    void theLastOnesAndThoseThatMadeRoom() {
        decide("a", "n");
        history.onNominated(pod("a"), "n", List.of(pod("victim")));
        decide("b", "n");
        decide("c", "n");
        decide("d", "n");
        assertEquals(List.of("1 binding 1", "3 binding 0", "4 binding 0"), next());
    }
}
