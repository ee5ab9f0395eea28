package io.policyscheduler.cmd.kube.watch;

import static io.policyscheduler.cmd.kube.watch.PodTexts.PODS;
import static io.policyscheduler.cmd.kube.watch.PodTexts.event;
import static io.policyscheduler.cmd.kube.watch.PodTexts.list;
import static io.policyscheduler.cmd.kube.watch.PodTexts.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.policyscheduler.cmd.kube.connection.ApiIoException;
import io.policyscheduler.cmd.kube.connection.FakeApiServer;
import io.policyscheduler.cmd.kube.watch.Reflector.Options;
import io.policyscheduler.cmd.kube.watch.Reflector.ResourceDiscovery.Paths;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ResourceDiscoveryTest extends ReflectorTestCase {
    @Test
    void aResourceThatMovesIsFollowed() {
        String moved = "/apis/new/pods";
        FakeApiServer[] self = new FakeApiServer[1];
        self[0] = serve(request -> {
            if (request.path().equals(PODS)
                    && (request.watch() || versions(self[0], true).size() > 0)) {
                request.answer(404, "404 page not found");
            } else if (request.watch()) {
                request.open(event("ADDED", pod("c", 9)));
                self[0].hold();
            } else {
                request.answer(200, list("7", "", pod(request.path().equals(PODS) ? "a" : "b", 3)));
            }
        });
        start(self[0], Options.defaults(), PODS, () -> Optional.of(moved));
        assertEquals(List.of("replaced [a] @7", "replaced [b] @7", "added c"), listener.awaitData(3));
        assertFalse(listener.calls().contains("disconnected"));
        assertEquals(
                List.of("", "7", "", "7"),
                self[0].requests.stream()
                        .limit(4)
                        .map(request -> request.parameter("resourceVersion"))
                        .toList());
    }

    /** Each discovery is several requests, which an overloaded server does not need. */
    @Test
    void onlyAResponseThatTheResourceIsMissingStartsADiscovery() {
        AtomicInteger asked = new AtomicInteger();
        AtomicInteger lists = new AtomicInteger();
        FakeApiServer[] self = new FakeApiServer[1];
        self[0] = serve(request -> {
            if (request.watch()) {
                self[0].hold();
            } else if (lists.incrementAndGet() == 1) {
                request.answer(503, "");
            } else {
                request.answer(200, list("7", "", pod("a", 3)));
            }
        });
        start(self[0], Options.defaults(), PODS, () -> {
            asked.incrementAndGet();
            return Optional.of(PODS);
        });
        assertEquals(List.of("replaced [a] @7"), listener.awaitData(1));
        assertEquals(0, asked.get());
    }

    @Test
    void aResourceThatIsMissingIsLookedForNowAndThen() {
        AtomicInteger asked = new AtomicInteger();
        FakeApiServer[] self = new FakeApiServer[1];
        self[0] = serve(request -> {
            if (request.watch()) {
                request.open();
                self[0].hold();
            }
            request.answer(200, list("7", "", pod("a", 3)));
        });
        Paths paths = () -> {
            switch (asked.incrementAndGet()) {
                case 1:
                    return Optional.empty();
                case 2:
                    throw new ApiIoException("no answer", 0);
                default:
                    return Optional.of(PODS);
            }
        };
        start(self[0], Options.defaults(), "", paths);
        listener.awaitData(1);
        assertEquals(List.of("connected", "replaced [a] @7"), listener.calls());
        assertEquals(Collections.nCopies(3, Duration.ofSeconds(30)), sleeps.subList(0, 3));
    }

    @Test
    void aResourceThatTheServerDeniesIsEmptied() {
        AtomicInteger asked = new AtomicInteger();
        AtomicInteger lists = new AtomicInteger();
        FakeApiServer[] self = new FakeApiServer[1];
        self[0] = serve(request -> {
            if (request.watch()) {
                if (lists.get() == 1) {
                    request.answer(404, "404 page not found");
                } else {
                    request.open();
                    self[0].hold();
                }
            } else {
                request.answer(200, list(Integer.toString(lists.incrementAndGet()), "", pod("a", 3)));
            }
        });
        start(
                self[0],
                Options.defaults(),
                PODS,
                () -> asked.incrementAndGet() == 1 ? Optional.empty() : Optional.of(PODS));
        assertEquals(List.of("replaced [a] @1", "replaced [] @", "replaced [a] @2"), listener.awaitData(3));
    }
}
