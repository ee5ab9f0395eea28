package io.policyscheduler.framework.scheduler.loop;

import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.cycle.Decision;
import io.policyscheduler.framework.scheduler.api.Binder.BindOutcome;
import io.policyscheduler.framework.scheduler.api.ClusterChange;
import io.policyscheduler.framework.scheduler.api.ClusterWriter;
import io.policyscheduler.framework.scheduler.api.ClusterWriter.PodRead;
import io.policyscheduler.framework.scheduler.api.EventInbox;
import io.policyscheduler.framework.scheduler.api.SchedulerListener;
import io.policyscheduler.framework.scheduler.api.SchedulerOptions;
import io.policyscheduler.framework.scheduler.backend.QueuedPod;
import java.time.Clock;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class SchedulerThreadTest {
    private final BlockingQueue<Consumer<BindOutcome>> binds = new LinkedBlockingQueue<>();
    private final BlockingQueue<String> bound = new LinkedBlockingQueue<>();
    private final ClusterWriter writer = new ClusterWriter() {
        @Override
        public void bind(PodInfo pod, String node, Consumer<BindOutcome> done) {
            binds.add(done);
        }

        @Override
        public void updateStatus(
                PodInfo pod, PodInfo.@Nullable ScheduledCondition condition, @Nullable String nominatedNode) {}

        @Override
        public void event(PodInfo pod, String type, String reason, String message, long generation) {}

        @Override
        public void readPod(PodInfo pod, Consumer<PodRead> done) {}
    };
    private final Scheduler scheduler = Scheduler.builder(new ClusterState(), writer, Clock.systemUTC())
            .profiles(TestProfiles.of(
                    (pod, nominated, cycleState) -> new Decision(Decision.Kind.PLACED, "n", 0, "", 1, 1), writer))
            .options(SchedulerOptions.defaults().withRequiredKinds(Set.of()))
            .listener(new SchedulerListener() {
                @Override
                public void onBound(QueuedPod entry, String node, long nanos) {
                    bound.add(entry.pod().name());
                }
            })
            .build();

    private Consumer<BindOutcome> nextBind() throws InterruptedException {
        Consumer<BindOutcome> done = binds.poll(10, TimeUnit.SECONDS);
        assertNotNull(done);
        return done;
    }

    @Test
    void schedulesAndClosesWhenTheBindsAreAnswered() throws InterruptedException {
        SchedulerThread thread = new SchedulerThread(scheduler, "test-scheduler");
        thread.start();
        scheduler.post(new ClusterChange.PodUpserted(pod("a").build()));
        Consumer<BindOutcome> first = nextBind();
        scheduler.post(new ClusterChange.PodUpserted(pod("b").build()));
        Consumer<BindOutcome> second = nextBind();
        first.accept(BindOutcome.BOUND);
        assertEquals("a", bound.poll(10, TimeUnit.SECONDS));
        Thread answering = new Thread(() -> second.accept(BindOutcome.BOUND));
        answering.start();
        assertTrue(thread.close(Duration.ofSeconds(10)));
        assertEquals("b", bound.poll(10, TimeUnit.SECONDS));
        assertNull(thread.failure());
        answering.join();
    }

    @Test
    void doesNotWaitForEverForABind() throws InterruptedException {
        SchedulerThread thread = new SchedulerThread(scheduler, "test-scheduler");
        thread.start();
        scheduler.post(new ClusterChange.PodUpserted(pod("a").build()));
        nextBind();
        assertFalse(thread.close(Duration.ofMillis(50)));
        assertTrue(thread.awaitEnd(Duration.ofSeconds(10)));
    }

    @Test
    void closingWithoutStartingIsFine() {
        assertTrue(new SchedulerThread(scheduler, "never").close(Duration.ZERO));
    }

    @Test
    void aBugEndsTheThreadAndIsKept() throws InterruptedException {
        SchedulerThread thread = new SchedulerThread(scheduler, "test-scheduler");
        thread.start();
        scheduler.post(new ClusterChange.Task("bug", () -> {
            throw new IllegalStateException("bug");
        }));
        assertTrue(thread.awaitEnd(Duration.ofSeconds(10)));
        assertInstanceOf(IllegalStateException.class, thread.failure());
        assertFalse(thread.close(Duration.ofSeconds(1)));
    }

    @Test
    void theInboxWakesTheWaitingThreadAndKeepsTheOrder() throws InterruptedException {
        EventInbox inbox = new EventInbox();
        assertFalse(inbox.await(TimeUnit.MILLISECONDS.toNanos(1)));
        CountDownLatch started = new CountDownLatch(1);
        Thread poster = new Thread(() -> {
            started.countDown();
            for (int i = 0; i < 1000; i++) {
                inbox.post(new ClusterChange.NodeDeleted("n" + i));
            }
        });
        poster.start();
        started.await();
        int next = 0;
        while (next < 1000) {
            assertTrue(inbox.await(TimeUnit.SECONDS.toNanos(10)));
            for (ClusterChange change : inbox.drain()) {
                assertEquals(new ClusterChange.NodeDeleted("n" + next++), change);
            }
        }
        poster.join();
        assertEquals(0, inbox.size());
    }
}
