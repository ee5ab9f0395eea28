package io.policyscheduler.framework.scheduler.backend;

import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.ClusterEvent;
import io.policyscheduler.framework.scheduler.backend.QueuedPod.Part;
import io.policyscheduler.framework.scheduler.backend.SchedulingQueue.Listener;
import io.policyscheduler.framework.scheduler.backend.SchedulingQueue.Times;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Backoffs of pods whose decisions cost far more than others. */
class SlowPodsTest {
    private final TestClock clock = new TestClock();
    private final SchedulingQueue queue = new SchedulingQueue(clock, Times.DEFAULTS, Listener.NONE);
    private final PodInfo slow = pod("slow").uid("us").build();

    private void fail(PodInfo expected) {
        QueuedPod entry = queue.pop();
        assertNotNull(entry);
        assertEquals(expected.key(), entry.key());
        queue.noteSlow(entry.pod());
        queue.addUnschedulableIfNotPresent(entry, Long.MIN_VALUE);
    }

    @Test
    void waitsDoubleUpToFiveMinutes() {
        List<Long> waits = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            waits.add(queue.noteSlow(slow).toSeconds());
            clock.advance(Duration.ofSeconds(waits.get(i)));
        }
        assertEquals(List.of(20L, 40L, 80L, 160L, 300L, 300L, 300L), waits);
    }

    @Test
    void noEventEndsTheWait() {
        queue.add(slow);
        fail(slow);
        clock.advance(Duration.ofSeconds(19));
        queue.moveAll(ClusterEvent.NODE_ADD);
        queue.flushBackoff();
        assertEquals(Part.BACKOFF, queue.partOf(slow.key()));
        clock.advance(Duration.ofSeconds(1));
        queue.flushBackoff();
        assertEquals(Part.ACTIVE, queue.partOf(slow.key()));
    }

    @Test
    void aChangeOfThePodDoesNotEither() {
        queue.add(slow);
        fail(slow);
        PodInfo changed = pod("slow").uid("us").label("touched", "yes").build();
        queue.update(slow, changed);
        assertEquals(Part.BACKOFF, queue.partOf(slow.key()));
        clock.advance(Duration.ofSeconds(20));
        queue.flushBackoff();
        assertEquals(Part.ACTIVE, queue.partOf(slow.key()));
    }

    @Test
    void whoeverComesAfterwardsUnderTheNameDoesNotWait() {
        queue.add(slow);
        fail(slow);
        queue.delete(slow);
        queue.add(pod("slow").uid("another").build());
        assertEquals(Part.ACTIVE, queue.partOf(slow.key()));
        QueuedPod another = queue.pop();
        assertNotNull(another);
        queue.addUnschedulableIfNotPresent(another, queue.schedulingCycle());
        clock.advance(Duration.ofSeconds(1));
        queue.moveAll(ClusterEvent.NODE_ADD);
        assertEquals(Part.ACTIVE, queue.partOf(slow.key()));
    }
}
