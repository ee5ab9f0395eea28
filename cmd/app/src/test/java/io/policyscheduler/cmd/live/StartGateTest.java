package io.policyscheduler.cmd.live;

import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.cmd.kube.connection.ApiIoException;
import io.policyscheduler.engine.cluster.object.PodInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class StartGateTest {
    private record Timed(Instant at, int order, Runnable task) {}

    private Instant now = Instant.EPOCH;
    private int order;
    private final List<String> log = new ArrayList<>();
    private final PriorityQueue<Timed> timers =
            new PriorityQueue<>((a, b) -> a.at().equals(b.at()) ? a.order() - b.order() : a.at().compareTo(b.at()));
    private final Server server = new Server();
    private final StartGate gate = new StartGate(
            server,
            Runnable::run,
            (task, delay) -> timers.add(new Timed(now.plus(delay), order++, task)),
            () -> now,
            () -> log.add("open at " + since()));

    private long since() {
        return Duration.between(Instant.EPOCH, now).toMillis();
    }

    private final class Server implements StartGate.Pods {
        private boolean known;
        private @Nullable PodInfo waiting;
        private int refusal;
        private boolean comesBack;

        @Override
        public boolean areCurrent() {
            return known;
        }

        @Override
        public void listFromStorage() {
            log.add("list at " + since());
        }

        @Override
        public void firstWaiting(Consumer<Optional<PodInfo>> receiver) {
            receiver.accept(Optional.ofNullable(waiting));
        }

        @Override
        public void touch(PodInfo pod) throws ApiIoException {
            log.add("touch " + pod.name() + " at " + since());
            known = comesBack;
            if (refusal > 0) {
                throw new ApiIoException("no", refusal);
            }
        }
    }

    private void passes(Duration time) {
        Instant end = now.plus(time);
        while (!timers.isEmpty() && !timers.element().at().isAfter(end)) {
            Timed next = timers.remove();
            now = next.at();
            next.task().run();
        }
        now = end;
    }

    @Test
    void opensAtOnceAndOnceOnlyWhereAllIsKnown() {
        server.known = true;
        gate.start();
        gate.start();
        passes(Duration.ofSeconds(9));
        assertEquals(List.of("open at 0"), log);
    }

    @Test
    void staysClosedBeforeItIsStartedAndAfterItIsClosed() {
        passes(Duration.ofSeconds(9));
        gate.start();
        gate.close();
        server.known = true;
        passes(Duration.ofSeconds(9));
        assertEquals(List.of(), log);
    }

    @Test
    void waitsForAChangeWhereNoPodWaits() {
        gate.start();
        passes(Duration.ofMinutes(5));
        server.known = true;
        passes(Duration.ofSeconds(9));
        assertEquals(List.of("open at 300020"), log);
    }

    @Test
    void touchesAPodThatWaits() {
        server.comesBack = true;
        gate.start();
        passes(Duration.ofMillis(990));
        server.waiting = pod("a").build();
        passes(Duration.ofSeconds(9));
        assertEquals(List.of("touch a at 1000", "open at 1020"), log);
    }

    @Test
    void readsStorageWhereNoChangeComesBack() {
        server.waiting = pod("a").build();
        gate.start();
        passes(Duration.ofSeconds(60));
        server.known = true;
        passes(Duration.ofSeconds(9));
        assertEquals(
                List.of("touch a at 0", "touch a at 2000", "touch a at 4000", "list at 6000", "open at 60020"), log);
    }

    @Test
    void readsStorageWhereItMayNotWrite() {
        server.waiting = pod("a").build();
        server.refusal = 403;
        gate.start();
        passes(Duration.ofSeconds(60));
        assertEquals(List.of("touch a at 0", "list at 2000"), log);
    }
}
