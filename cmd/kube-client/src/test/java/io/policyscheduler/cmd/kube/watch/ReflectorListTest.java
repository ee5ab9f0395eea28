package io.policyscheduler.cmd.kube.watch;

import static io.policyscheduler.cmd.kube.watch.PodTexts.GONE;
import static io.policyscheduler.cmd.kube.watch.PodTexts.event;
import static io.policyscheduler.cmd.kube.watch.PodTexts.list;
import static io.policyscheduler.cmd.kube.watch.PodTexts.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.cmd.kube.connection.FakeApiServer;
import io.policyscheduler.cmd.kube.watch.Reflector.Options;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReflectorListTest extends ReflectorTestCase {
    @Test
    void expiredContinueTokenFetchesEverythingAtOnce() {
        FakeApiServer[] self = new FakeApiServer[1];
        self[0] = serve(request -> {
            if (request.watch()) {
                request.open();
                self[0].hold();
            } else if (!request.parameter("continue").isEmpty()) {
                request.answer(410, GONE);
            } else if (request.parameter("limit").isEmpty()) {
                request.answer(200, list("20", "", pod("a", 3), pod("b", 19)));
            } else {
                request.answer(200, list("7", "next", pod("a", 3)));
            }
        });
        start(self[0], Options.defaults());
        assertEquals(List.of("replaced [a, b] @20"), listener.awaitData(1));
        assertEquals("{resourceVersion=7}", self[0].requests.get(2).query().toString());
    }

    /** Its pages always expire, and one unpaged list is cut off: after any failure, the other way is tried. */
    @Test
    void aListOfALargeClusterArrivesInTheEnd() {
        AtomicInteger whole = new AtomicInteger();
        FakeApiServer[] self = new FakeApiServer[1];
        self[0] = serve(request -> {
            if (request.watch()) {
                request.open();
                self[0].hold();
            } else if (!request.parameter("continue").isEmpty()) {
                request.answer(410, GONE);
            } else if (!request.parameter("limit").isEmpty()) {
                request.answer(200, list("7", "next", pod("a", 3)));
            } else if (whole.incrementAndGet() == 1) {
                request.answer(200, list("20", "", pod("a", 3)).substring(0, 60));
            } else {
                request.answer(200, list("21", "", pod("a", 3), pod("b", 19)));
            }
        });
        start(self[0], Options.defaults());
        assertEquals(List.of("replaced [a, b] @21"), listener.awaitData(1));
        assertEquals(
                List.of("{limit=500}", "{continue=next, limit=500}", "{resourceVersion=7}", "{resourceVersion=7}"),
                self[0].requests.stream()
                        .limit(4)
                        .map(request -> request.query().toString())
                        .toList());
    }

    /** A server that was restored from an older backup has older versions. */
    @Test
    void theLatestIsListedWhereAnExpiredListCannotBeMet() {
        FakeApiServer[] self = new FakeApiServer[1];
        self[0] = serve(request -> {
            if (request.watch()) {
                request.open();
                self[0].hold();
            } else if (!request.parameter("continue").isEmpty()) {
                request.answer(410, GONE);
            } else if (!request.parameter("limit").isEmpty()) {
                request.answer(200, list("7", "next", pod("a", 3)));
            } else if (request.parameter("resourceVersion").equals("7")) {
                request.answer(504, "{\"message\":\"Too large resource version: 7, current: 4\"}");
            } else {
                request.answer(200, list("5", "", pod("b", 5)));
            }
        });
        start(self[0], Options.defaults());
        assertEquals(List.of("replaced [b] @5"), listener.awaitData(1));
    }

    @Test
    void unusableListResponsesAreRetriedWithBackoff() {
        List<String> answers = List.of(
                "{\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[" + pod("a", 1) + ",{\"metadata\":",
                "{\"metadata\":{},\"items\":[]}",
                "[]",
                "<html>",
                list("9", "", pod("a", 1)));
        AtomicInteger lists = new AtomicInteger();
        FakeApiServer[] self = new FakeApiServer[1];
        self[0] = serve(request -> {
            if (!request.watch()) {
                request.answer(200, answers.get(lists.getAndIncrement()));
                return;
            }
            request.open();
            self[0].hold();
        });
        start(self[0], Options.defaults());
        assertEquals(List.of("replaced [a] @9"), listener.awaitData(1));
        assertEquals(4, sleeps.size());
        for (int i = 0; i < 4; i++) {
            long base = 800L << i;
            long slept = sleeps.get(i).toMillis();
            assertTrue(slept >= base && slept <= 2 * base, "sleep " + i + ": " + slept);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theServerSetsTheTimeOfTheRetry(boolean watch) {
        AtomicInteger asked = new AtomicInteger();
        FakeApiServer[] self = new FakeApiServer[1];
        self[0] = serve(request -> {
            if (request.watch() == watch && asked.incrementAndGet() == 1) {
                request.exchange().getResponseHeaders().set("Retry-After", "7");
                request.answer(429, "{\"message\":\"busy\"}");
            } else if (request.watch()) {
                request.open(event("ADDED", pod("b", 8)));
                self[0].hold();
            } else {
                request.answer(200, list("7", "", pod("a", 3)));
            }
        });
        start(self[0], Options.defaults());
        assertEquals(List.of("replaced [a] @7", "added b"), listener.awaitData(2));
        assertEquals(
                List.of(Duration.ofSeconds(7)),
                sleeps.stream()
                        .filter(delay -> delay.compareTo(Duration.ofMillis(100)) > 0)
                        .toList());
    }

    /** The doubt is older than the list that it concerns, and concerns only that one. */
    @Test
    void aDoubtMakesTheNextListReadStorage() {
        AtomicInteger watches = new AtomicInteger();
        FakeApiServer[] self = new FakeApiServer[1];
        Reflector<?>[] reflector = new Reflector<?>[1];
        CountDownLatch started = new CountDownLatch(1);
        self[0] = serve(request -> {
            if (!request.watch()) {
                request.answer(200, list(watches.get() == 0 ? "7" : "9", "", pod("a", 3)));
            } else if (watches.incrementAndGet() == 1) {
                request.answer(400, "{}");
            } else if (watches.get() == 2) {
                request.open(event("ADDED", pod("b", 10))).close();
            } else {
                request.open(event("ADDED", pod("c", 11)));
                self[0].hold();
            }
        });
        sleeper = delay -> {
            started.await();
            if (delay.compareTo(Duration.ofMillis(100)) > 0) {
                reflector[0].listFromStorage();
            }
        };
        reflector[0] = start(self[0], Options.defaults());
        started.countDown();
        assertEquals(List.of("replaced [a] @7", "replaced [a] @9", "added b", "added c"), listener.awaitData(4));
        assertEquals(List.of("", ""), versions(self[0], false));
    }
}
