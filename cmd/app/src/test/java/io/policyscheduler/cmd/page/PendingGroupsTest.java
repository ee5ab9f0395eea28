package io.policyscheduler.cmd.page;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.cmd.page.Frames.PendingGroups;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.testing.PodBuilder;
import io.policyscheduler.framework.scheduler.backend.QueuedPod;
import io.policyscheduler.framework.scheduler.backend.QueuedPod.Part;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PendingGroupsTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0/3 nodes are available: 1 node(s) were unschedulable, 2 Insufficient cpu. | Insufficient cpu; node(s) were unschedulable",
                "0/3 nodes are available: 3 Insufficient cpu. preemption: 0/3 nodes are available: 3 No victims. | Insufficient cpu",
                "0/3 nodes are available: 3 node(s) had untolerated taint {a: 1}. | node(s) had untolerated taint {a: 1}",
                "no nodes available to schedule pods | no nodes available to schedule pods",
            })
    void numbersAreLeftOut(String message, String reason) {
        assertEquals(reason, PendingGroups.withoutNumbers(message));
    }

    private static QueuedPod waiting(String name, String message) {
        PodInfo pod = PodBuilder.pod(name).build().toBuilder()
                .scheduled(
                        message.isEmpty() ? null : new PodInfo.ScheduledCondition("False", "Unschedulable", message, 0))
                .build();
        return new QueuedPod(pod, Instant.EPOCH, 1, 2, Instant.EPOCH, Instant.EPOCH, Set.of());
    }

    @Test
    void theLargestGroupComesFirstAndNamesTheFirstOfItsPods() {
        List<QueuedPod> unfit = new ArrayList<>();
        for (int i = 0; i < PendingGroups.MOST_PODS + 1; i++) {
            unfit.add(waiting("p" + i, "0/" + i + " nodes are available: " + i + " Insufficient cpu."));
        }
        List<PendingGroups.Group> groups = new PendingGroups()
                .of(Map.of(
                        Part.ACTIVE, List.of(waiting("new", "")),
                        Part.UNSCHEDULABLE, unfit,
                        Part.BACKOFF, List.of(waiting("other", "it broke"), waiting("silent", ""))));
        assertEquals(
                List.of("51 Insufficient cpu", "1 it broke", "1 no reason known", "1 not tried yet"),
                groups.stream()
                        .map(group -> group.count() + " " + group.reason())
                        .toList());
        assertEquals(PendingGroups.MOST_PODS, groups.get(0).pods().size());
        assertEquals("default/p0", groups.get(0).pods().get(0).entry().key());
        assertEquals(Part.ACTIVE, groups.get(3).pods().get(0).part());
    }
}
