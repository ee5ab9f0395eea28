package io.policyscheduler.framework.scheduler.backend;

import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.policyscheduler.engine.cluster.object.Affinity.PodAffinityTerm;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.framework.scheduler.backend.SubQueues.UnschedulablePods;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import org.junit.jupiter.api.Test;

class UnschedulablePodsTest {
    private static final PodAffinityTerm ANY = new PodAffinityTerm(LabelSelector.EVERYTHING, List.of(), "zone", null);

    private final UnschedulablePods pods = new UnschedulablePods();

    private void put(PodInfo pod) {
        pods.put(QueuedPod.arriving(pod, Instant.EPOCH, 0), false);
    }

    private static List<String> names(Collection<QueuedPod> entries) {
        return entries.stream().map(entry -> entry.pod().name()).toList();
    }

    @Test
    void inTheOrderOfArrivalWhateverChanges() {
        put(pod("b").build());
        put(pod("a").build());
        put(pod("b").priority(5).build());
        assertEquals(List.of("b", "a"), names(pods.entries()));
        assertEquals(2, pods.size());
        assertEquals(List.of("b"), names(pods.those(entry -> entry.pod().priority() == 5)));
    }

    @Test
    void anAssignedPodConcernsOnlyThoseWhoMeanIt() {
        put(pod("alone").build());
        put(pod("avoids").podAntiAffinity(ANY).build());
        put(pod("follows").podAffinity(ANY).build());
        put(pod("selects")
                .namespace("other")
                .podAffinity(new PodAffinityTerm(
                        LabelSelector.EVERYTHING,
                        List.of(),
                        "zone",
                        LabelSelector.of(Labels.of("team", "a"), List.of())))
                .build());
        put(pod("elsewhere").namespace("other").podAffinity(ANY).build());
        PodInfo assigned = pod("web").onNode("n").build();
        assertEquals(List.of("follows", "selects"), names(pods.waitingFor(assigned)));
        pods.remove("default/follows");
        pods.remove("other/selects");
        assertEquals(List.of(), names(pods.waitingFor(assigned)));
        pods.put(QueuedPod.arriving(pod("counts").build(), Instant.EPOCH, 0), true);
        assertEquals(List.of("counts"), names(pods.waitingFor(assigned)));
        put(pod("counts").build());
        assertEquals(List.of(), names(pods.waitingFor(assigned)), "rejected by something else now");
        assertNull(pods.get("default/follows"));
        assertNull(pods.remove("default/follows"));
    }
}
