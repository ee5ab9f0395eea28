package io.policyscheduler.framework.scheduler.loop;

import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import io.policyscheduler.framework.cycle.ScheduleAlgorithm;
import io.policyscheduler.framework.plugin.ClusterEvent;
import io.policyscheduler.framework.plugin.Status;
import io.policyscheduler.framework.scheduler.api.Binder.BindOutcome;
import io.policyscheduler.framework.scheduler.api.ClusterWriter;
import io.policyscheduler.framework.scheduler.api.ClusterWriter.PodRead;
import io.policyscheduler.framework.scheduler.api.SchedulerListener;
import io.policyscheduler.framework.scheduler.api.SchedulerOptions;
import io.policyscheduler.framework.scheduler.backend.QueuedPod.Part;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Pods whose decisions cost far more than others. */
class SlowDecisionTest extends SchedulerFixture {
    private static final long MILLI = 1_000_000;

    private final List<String> decided = new ArrayList<>();
    private final List<String> slow = new ArrayList<>();
    private final List<String> events = new ArrayList<>();
    private long work;

    /** Completes reads immediately with what the scheduler has seen last. */
    private final class Server implements ClusterWriter {
        @Override
        public void bind(PodInfo pod, String node, Consumer<BindOutcome> done) {
            throw new IllegalStateException("nothing fits");
        }

        @Override
        public void updateStatus(
                PodInfo pod, PodInfo.@Nullable ScheduledCondition condition, @Nullable String nominatedNode) {}

        @Override
        public void event(PodInfo pod, String type, String reason, String message, long generation) {
            events.add(type + " " + reason + ": " + message);
        }

        @Override
        public void readPod(PodInfo pod, Consumer<PodRead> done) {
            done.accept(new PodRead.Found(known(scheduler.pod(pod.namespace(), pod.name()))));
        }
    }

    @BeforeEach
    void startWithAMeter() {
        ClusterState cluster = new ClusterState();
        Server server = new Server();
        ScheduleAlgorithm algorithm = (pod, nominated, cycleState) -> {
            cluster.startCycle();
            decided.add(pod.name());
            if (pod.name().startsWith("greedy")) {
                cycleState.markExpensive();
            }
            work += (pod.name().startsWith("costly") ? 5_000 : 1) * MILLI;
            return decision;
        };
        scheduler = Scheduler.builder(cluster, server, clock)
                .profiles(TestProfiles.of(algorithm, server, (pod, nominated) -> Status.SUCCESS, volumes))
                .options(SchedulerOptions.defaults().withRequiredKinds(Set.of(ResourceKind.PODS, ResourceKind.NODES)))
                .listener(new SchedulerListener() {
                    @Override
                    public void onSlowDecision(PodInfo pod, long workNanos) {
                        slow.add(pod.name() + " " + workNanos / MILLI);
                    }
                })
                .work(() -> work)
                .build();
        sync();
        decision = NO_FIT;
        for (int i = 0; i < 20; i++) {
            show(pod("usual-" + i).uid("uid-" + i).build());
        }
        events.clear();
        decided.clear();
    }

    private List<String> decidedWithin(Duration time) {
        decided.clear();
        for (long second = 0; second < time.toSeconds(); second++) {
            clock.advance(Duration.ofSeconds(1));
            scheduler.queue().moveAll(ClusterEvent.NODE_ADD);
            run();
        }
        return decided;
    }

    @Test
    void isToldAndCounted() {
        show(pod("costly").uid("uc").build());
        assertEquals(List.of("costly 5000"), slow);
        assertTrue(events.contains(
                "Warning SlowDecision: the attempt took 5000 ms of CPU time, while 1 ms are usual; if the pod is"
                        + " unschedulable, its backoff is 20 s; simplify its affinity terms, tolerations, volumes,"
                        + " resources, or device selectors"));
    }

    @Test
    void aPodForWhichAPluginEndedItsWorkIs() {
        show(pod("greedy").uid("ug").build());
        assertEquals(List.of("greedy 1"), slow);
        assertEquals(Part.BACKOFF, partAfterWakeUp("greedy"));
    }

    private @Nullable Part partAfterWakeUp(String pod) {
        scheduler.queue().moveAll(ClusterEvent.NODE_ADD);
        clock.advance(Duration.ofSeconds(5));
        run();
        return scheduler.queue().partOf("default/" + pod);
    }

    @Test
    void aPodWithinTheBudgetIsNot() {
        show(pod("cheap").uid("uc").build());
        assertEquals(List.of(), slow);
    }

    @Test
    void itsTurnsGetRarerButDoNotEnd() {
        show(pod("costly").uid("uc").build());
        List<String> turns = decidedWithin(Duration.ofMinutes(30));
        long costly = turns.stream().filter("costly"::equals).count();
        long usual = turns.stream().filter("usual-1"::equals).count();
        // After 20, 40, 80, 160 s, and then every 300 s.
        assertTrue(costly >= 8 && costly <= 10, () -> costly + " turns");
        assertTrue(usual >= 150, () -> usual + " turns of another");
    }

    @Test
    void changingThePodDoesNotEndTheWait() {
        PodInfo costly = pod("costly").uid("uc").build();
        show(costly);
        decided.clear();
        show(pod("costly").uid("uc").label("touched", "yes").build());
        assertEquals(List.of(), decided);
        assertEquals(Part.BACKOFF, scheduler.queue().partOf(costly.key()));
        assertTrue(decidedWithin(Duration.ofSeconds(22)).contains("costly"));
    }
}
