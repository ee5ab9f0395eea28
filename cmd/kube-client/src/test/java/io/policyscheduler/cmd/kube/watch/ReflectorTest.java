package io.policyscheduler.cmd.kube.watch;

import static io.policyscheduler.cmd.kube.watch.PodTexts.JSON;
import static io.policyscheduler.cmd.kube.watch.PodTexts.PODS;
import static io.policyscheduler.cmd.kube.watch.PodTexts.badPod;
import static io.policyscheduler.cmd.kube.watch.PodTexts.event;
import static io.policyscheduler.cmd.kube.watch.PodTexts.list;
import static io.policyscheduler.cmd.kube.watch.PodTexts.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.cmd.kube.connection.FakeApiServer;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.kube.connection.ServerOutage;
import io.policyscheduler.cmd.kube.watch.Reflector.Options;
import io.policyscheduler.cmd.kube.watch.Reflector.ResourceDiscovery.Paths;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ReflectorTest extends ReflectorTestCase {
    @Test
    void listsPageByPageThenWatches() throws Exception {
        FakeApiServer[] self = new FakeApiServer[1];
        self[0] = serve(request -> {
            if (request.watch()) {
                request.open(
                        event("ADDED", pod("c", 8)),
                        event("MODIFIED", pod("c", 9)),
                        event("ADDED", "{\"ignored\":1,\"metadata\":{\"name\":\"d\",\"resourceVersion\":\"10\"}}"),
                        event("DELETED", pod("a", 11)));
                self[0].hold();
            } else if (request.parameter("continue").isEmpty()) {
                request.answer(200, list("7", "next&page", pod("a", 3)));
            } else {
                request.answer(200, list("7", "", pod("b", 5)));
            }
        });
        start(self[0], Options.defaults().withFieldSelector("status.phase!=Failed"));

        assertEquals(List.of("replaced [a, b] @7", "added c", "modified c", "deleted a"), listener.awaitData(4));
        assertEquals("connected", listener.calls().get(0));
        assertEquals(
                List.of(
                        "{fieldSelector=status.phase!=Failed, limit=500}",
                        "{continue=next&page, fieldSelector=status.phase!=Failed, limit=500}"),
                self[0].requests.subList(0, 2).stream()
                        .map(r -> r.query().toString())
                        .toList());
        FakeApiServer.Request watch = self[0].requests.get(2);
        int seconds = Integer.parseInt(watch.parameter("timeoutSeconds"));
        assertTrue(seconds >= 300 && seconds <= 600, "timeoutSeconds " + seconds);
        assertEquals("7", watch.parameter("resourceVersion"));
        assertEquals("true", watch.parameter("allowWatchBookmarks"));
        assertEquals("status.phase!=Failed", watch.parameter("fieldSelector"));
        assertEquals("policy-scheduler/dev", watch.header("User-Agent"));
    }

    @Test
    void malformedObjectsAreSkippedAndNamed() {
        FakeApiServer[] self = new FakeApiServer[1];
        self[0] = serve(request -> {
            if (!request.watch()) {
                request.answer(200, list("7", "", pod("a", 1), badPod("b", 2), "5", pod("c", 3), badPod("d", 4)));
                return;
            }
            request.open(
                    event("ADDED", badPod("e", 8)),
                    "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"f\",\"resourceVersion\":\"9\"},\"x\":tru}}",
                    "garbage",
                    "{\"object\":" + pod("g", 10) + ",\"type\":\"MODIFIED\"}",
                    event("NEWFANGLED", pod("h", 11)),
                    event("ADDED", "7"),
                    event("DELETED", badPod("e", 12)),
                    "{\"later\":{\"type\":\"ERROR\"},\"type\":\"DELETED\",\"object\":" + pod("a", 13) + "}");
            self[0].hold();
        });
        start(self[0], Options.defaults());
        List<String> data = listener.awaitData(11).stream()
                .map(call -> call.startsWith("unreadable") ? call.replaceFirst("JsonParse.*", "syntax") : call)
                .toList();
        assertEquals(
                List.of(
                        "unreadable ns/b: IOException: bad spec",
                        "unreadable : the list item is not an object",
                        "unreadable ns/d: IOException: bad spec",
                        "replaced [a, c] @7",
                        "unreadable ns/e: IOException: bad spec",
                        "unreadable f: syntax",
                        "unreadable : IOException: the event is not a JSON object",
                        "modified g",
                        "unreadable : IOException: the event has no object",
                        "unreadable and deleted ns/e: IOException: bad spec",
                        "deleted a"),
                data);
        assertEquals(2, self[0].requests.size(), "no reconnect because of malformed objects");
    }

    /** Its state is unknown, and waiting gives it time. */
    @Test
    void aListenerThatFailsReceivesTheWholeStateAfterADelay() {
        AtomicInteger lists = new AtomicInteger();
        FakeApiServer[] self = new FakeApiServer[1];
        self[0] = serve(request -> {
            if (request.watch()) {
                request.open(event("ADDED", pod("a", 8)));
                self[0].hold();
            } else {
                request.answer(200, lists.incrementAndGet() == 1 ? list("7", "") : list("9", "", pod("a", 8)));
            }
        });
        listener.failOn("added a");
        start(self[0], Options.defaults());
        assertEquals(List.of("replaced [] @7", "added a", "replaced [a] @9", "added a"), listener.awaitData(4));
        assertEquals(List.of("", "7"), versions(self[0], false), "not older than the first list");
        List<Long> delays = sleeps.stream()
                .map(Duration::toMillis)
                .filter(millis -> millis > 100)
                .toList();
        assertEquals(1, delays.size());
        assertTrue(delays.get(0) >= 800 && delays.get(0) <= 1600, delays::toString);
    }

    @Test
    void closeEndsABlockedWatch() throws Exception {
        CountDownLatch watching = new CountDownLatch(1);
        FakeApiServer[] self = new FakeApiServer[1];
        self[0] = serve(request -> {
            if (!request.watch()) {
                request.answer(200, list("7", ""));
                return;
            }
            watching.countDown();
            self[0].hold();
        });
        Reflector<String> reflector = start(self[0], Options.defaults());
        await(watching);
        reflector.close();
        Thread running = Objects.requireNonNull(thread);
        running.join(TimeUnit.SECONDS.toMillis(10));
        assertFalse(running.isAlive());
        assertEquals(List.of("connected", "replaced [] @7"), listener.calls());
    }

    /** A closed reflector passes on no event that it has read already, and does not wait for a next watch. */
    @Test
    void nothingFollowsAfterClose() throws Exception {
        FakeApiServer[] self = new FakeApiServer[1];
        self[0] = serve(request -> {
            if (!request.watch()) {
                request.answer(200, list("7", ""));
                return;
            }
            request.exchange().sendResponseHeaders(200, 0);
            byte[] both = (event("ADDED", pod("a", 8)) + "\n" + event("ADDED", pod("b", 9)) + "\n")
                    .getBytes(StandardCharsets.UTF_8);
            request.exchange().getResponseBody().write(both);
            request.exchange().getResponseBody().flush();
            self[0].hold();
        });
        Reflector<?>[] reflector = new Reflector<?>[1];
        CountDownLatch started = new CountDownLatch(1);
        listener.on("added a", () -> {
            await(started);
            reflector[0].close();
        });
        reflector[0] = start(self[0], Options.defaults());
        Thread running = Objects.requireNonNull(thread);
        started.countDown();
        running.join();
        assertEquals(List.of("replaced [] @7", "added a"), listener.data());
        assertEquals(List.of(), sleeps);
        assertEquals("8", reflector[0].resourceVersion());
    }

    /** {@code close} ends a wait before a request, and the thread that ran the reflector stays interrupted. */
    @Test
    void closeEndsAWait() throws Exception {
        CountDownLatch waits = new CountDownLatch(1);
        sleeper = delay -> {
            waits.countDown();
            new CountDownLatch(1).await();
        };
        FakeApiServer server = serve(request -> request.answer(500, "{}"));
        KubeConnection connection = KubeConnection.fromUrl(server.url());
        toClose.add(0, connection);
        Reflector<String> reflector = reflector(connection, Options.defaults(), PODS, Paths.fixed(PODS));
        reflector.close();
        assertThrows(IllegalStateException.class, () -> reflector.start(Thread::new));

        Reflector<String> another = reflector(connection, Options.defaults(), PODS, Paths.fixed(PODS));
        boolean[] interrupted = new boolean[1];
        Thread[] running = new Thread[1];
        another.start(task -> {
            running[0] = new Thread(() -> {
                task.run();
                interrupted[0] = Thread.interrupted();
            });
            return running[0];
        });
        await(waits);
        another.close();
        running[0].join();
        assertTrue(interrupted[0]);
        assertFalse(another.isCurrent());
    }

    /** A closed reflector no longer counts as connected for the other ones of its connection. */
    @Test
    void aClosedReflectorLeavesTheStateOfTheServer() throws Exception {
        CountDownLatch watching = new CountDownLatch(1);
        FakeApiServer[] self = new FakeApiServer[1];
        self[0] = serve(request -> {
            if (!request.watch()) {
                request.answer(200, list("7", ""));
                return;
            }
            request.open(event("ADDED", pod("a", 8)));
            watching.countDown();
            self[0].hold();
        });
        KubeConnection connection = KubeConnection.fromUrl(self[0].url());
        toClose.add(0, connection);
        Reflector<String> reflector = Reflector.of(connection, PODS, PodTexts::decode, listener)
                .json(JSON)
                .build();
        Thread[] running = new Thread[1];
        reflector.start(task -> running[0] = new Thread(task, "reflector"));
        await(watching);
        listener.awaitData(2);
        assertTrue(reflector.isCurrent());
        reflector.close();
        running[0].join();
        ServerOutage outage = connection.outage();
        Thread other = new Thread(() -> awaitRecovery(outage), "other");
        other.start();
        while (other.isAlive()) {
            outage.connected();
            outage.disconnected();
            other.join(10);
        }
    }

    private static void awaitRecovery(ServerOutage outage) {
        try {
            while (!outage.await(Duration.ofHours(1))) {
                Thread.onSpinWait();
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** A list from storage does not wait for the end of the watch. */
    @Test
    void aListFromStorageEndsTheWatch() {
        AtomicInteger lists = new AtomicInteger();
        FakeApiServer[] self = new FakeApiServer[1];
        self[0] = serve(request -> {
            if (request.watch()) {
                request.open(event("ADDED", pod("a", 8)));
                self[0].hold();
            } else {
                request.answer(200, list(lists.incrementAndGet() == 1 ? "7" : "9", ""));
            }
        });
        Reflector<String> reflector = start(self[0], Options.defaults());
        listener.awaitData(2);
        reflector.listFromStorage();
        assertEquals(
                List.of("replaced [] @7", "added a", "replaced [] @9"),
                listener.awaitData(3).subList(0, 3));
        assertEquals(List.of("", ""), versions(self[0], false));
    }
}
