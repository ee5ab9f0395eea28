package io.policyscheduler.cmd.kube.watch;

import static io.policyscheduler.cmd.kube.watch.PodTexts.PODS;
import static io.policyscheduler.cmd.kube.watch.PodTexts.event;
import static io.policyscheduler.cmd.kube.watch.PodTexts.list;
import static io.policyscheduler.cmd.kube.watch.PodTexts.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.cmd.kube.connection.FakeApiServer;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.kube.connection.VirtualTime;
import io.policyscheduler.cmd.kube.watch.Reflector.Options;
import io.policyscheduler.cmd.kube.watch.Reflector.ResourceDiscovery.Paths;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ServerContactTest extends ReflectorTestCase {
    /** Until a response is complete. A response that breaks off starts an outage, too. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void tellsForHowLongTheServerHasNotAnswered(boolean statusOnly) {
        VirtualTime time = new VirtualTime();
        CountDownLatch watching = new CountDownLatch(1);
        AtomicInteger lists = new AtomicInteger();
        FakeApiServer[] self = new FakeApiServer[1];
        self[0] = serve(request -> {
            if (request.watch()) {
                request.open();
                watching.countDown();
                self[0].hold();
            } else if (lists.incrementAndGet() == 1) {
                if (statusOnly) {
                    request.exchange().sendResponseHeaders(200, 100);
                    request.exchange().close();
                } else {
                    request.answer(503, "");
                }
            } else {
                request.answer(200, list("7", ""));
            }
        });
        List<Optional<Duration>> seen = new CopyOnWriteArrayList<>();
        Reflector<?>[] reflector = new Reflector<?>[1];
        clock = time;
        sleeper = delay -> {
            time.advance(Duration.ofSeconds(17));
            seen.add(reflector[0].unansweredFor());
        };
        KubeConnection connection = KubeConnection.fromUrl(self[0].url());
        toClose.add(0, connection);
        reflector[0] = reflector(connection, Options.defaults(), PODS, Paths.fixed(PODS));
        toClose.add(0, reflector[0]);
        reflector[0].start(Thread::new);
        await(watching);
        listener.await(calls -> reflector[0].unansweredFor().isEmpty());
        assertEquals(Optional.of(Duration.ofSeconds(17)), seen.get(0));
    }

    @Test
    void serverGoesDownAndComesBack() {
        CountDownLatch triedInVain = new CountDownLatch(3);
        CountDownLatch back = new CountDownLatch(1);
        AtomicInteger lists = new AtomicInteger();
        FakeApiServer[] self = new FakeApiServer[1];
        self[0] = serve(request -> {
            if (!request.watch()) {
                lists.incrementAndGet();
                request.answer(200, list("7", ""));
            } else {
                request.open(event("ADDED", back.getCount() > 0 ? pod("a", 8) : pod("b", 9)));
                self[0].hold();
            }
        });
        sleeper = delay -> {
            triedInVain.countDown();
            if (triedInVain.getCount() == 0) {
                back.await();
            }
        };
        start(self[0], Options.defaults());
        listener.awaitData(2);
        self[0].goDown();
        listener.await(calls -> calls.contains("disconnected"));
        await(triedInVain);
        self[0].comeBack();
        back.countDown();
        listener.awaitData(3);
        assertEquals(
                List.of("connected", "replaced [] @7", "added a", "disconnected", "connected", "added b"),
                listener.calls());
        assertEquals(1, lists.get());
        assertEquals("8", self[0].requests.get(self[0].requests.size() - 1).parameter("resourceVersion"));
    }

    @Test
    void refusalsAreReportedOnceAndRetried() {
        AtomicInteger lists = new AtomicInteger();
        FakeApiServer[] self = new FakeApiServer[1];
        self[0] = serve(request -> {
            if (request.watch()) {
                request.open();
                self[0].hold();
            } else if (lists.incrementAndGet() <= 3) {
                request.answer(403, "{\"message\":\"pods is forbidden\"}");
            } else {
                request.answer(200, list("7", ""));
            }
        });
        start(self[0], Options.defaults());
        listener.awaitData(1);
        assertEquals(List.of("disconnected", "connected", "replaced [] @7"), listener.calls());
    }
}
