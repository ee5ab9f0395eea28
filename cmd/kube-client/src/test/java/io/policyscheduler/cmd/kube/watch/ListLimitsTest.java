package io.policyscheduler.cmd.kube.watch;

import static io.policyscheduler.cmd.kube.watch.PodTexts.list;
import static io.policyscheduler.cmd.kube.watch.PodTexts.pod;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.policyscheduler.cmd.kube.connection.FakeApiServer;
import io.policyscheduler.cmd.kube.connection.KubeConnection.ResponseTooLongException;
import io.policyscheduler.cmd.kube.watch.ListLimits.Heap;
import io.policyscheduler.cmd.kube.watch.Reflector.Options;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class ListLimitsTest extends ReflectorTestCase {
    private static final long MEGABYTE = 1 << 20;
    private static final Instant START = Instant.EPOCH;

    /** A heap of 160 MB with these objects and this garbage. */
    private static final class TestHeap implements Heap {
        private long objects;
        private long garbage;
        private long live;
        private int collections;

        void set(long objectMegabytes, long garbageMegabytes) {
            objects = objectMegabytes * MEGABYTE;
            garbage = garbageMegabytes * MEGABYTE;
        }

        @Override
        public long max() {
            return 160 * MEGABYTE;
        }

        @Override
        public long used() {
            return objects + garbage;
        }

        @Override
        public long live() {
            return live;
        }

        @Override
        public void collect() {
            collections++;
            garbage = 0;
            live = objects;
        }
    }

    private final TestHeap heap = new TestHeap();
    private Instant now = START;
    private final ListLimits limits = new ListLimits(heap, () -> now);
    private final InputStream response = limits.limit(new ByteArrayInputStream(new byte[64 * (int) MEGABYTE]));

    private String failure() {
        return String.valueOf(assertThrows(ResponseTooLongException.class, () -> response.read(new byte[1000]))
                .getMessage());
    }

    @Test
    void garbageIsCollectedBeforeAListFails() throws IOException {
        heap.set(20, 95);
        response.readNBytes(3 * (int) MEGABYTE);
        assertEquals(0, heap.collections, "enough is free");
        heap.set(20, 136);
        response.readNBytes(1000);
        assertEquals(1, heap.collections);
        heap.set(139, 0);
        response.readNBytes(1000);
        heap.set(139, 20);
        response.readNBytes(1000);
        assertEquals(2, heap.collections, "139 of 160 MB are live");
        heap.set(141, 20);
        assertEquals(
                "the list does not fit into the heap of 160 MB: after 3 MB of the list, 7/8 of the heap are in use;"
                        + " set a larger -Xmx",
                failure());
        assertEquals(3, heap.collections);
    }

    /** What the last collection left may be garbage by now. */
    @Test
    void aCollectionThatWasBeforeTheListDoesNotCount() throws IOException {
        heap.set(150, 0);
        heap.collect();
        heap.set(100, 50);
        response.readNBytes(1000);
        assertEquals(100 * MEGABYTE, heap.live());
    }

    @Test
    void aListHasADeadlineHoweverItIsRead() throws IOException {
        now = START.plus(Duration.ofMinutes(15));
        response.readNBytes(1000);
        now = now.plusNanos(1);
        String late = "the list did not end within 15 minutes (0 MB)";
        assertEquals(late, failure());
        assertEquals(
                late,
                assertThrows(IOException.class, () -> response.skipNBytes(10)).getMessage());
        assertEquals(
                late,
                assertThrows(IOException.class, () -> {
                            while (response.read() >= 0) {
                                // The deadline is checked once in many bytes.
                            }
                        })
                        .getMessage());
    }

    @Test
    void pagesMakeProgress() throws IOException {
        limits.endPage("a", "b", 500);
        for (int i = 0; i < 100; i++) {
            limits.endPage("t" + i, "t" + (i + 1), 0);
        }
        limits.endPage("x", "y", 1);
        for (int i = 0; i < 100; i++) {
            limits.endPage("t" + i, "t" + (i + 1), 0);
        }
        assertEquals(
                "the list has no end: 101 pages in a row are empty",
                assertThrows(ResponseTooLongException.class, () -> limits.endPage("y", "z", 0))
                        .getMessage());
        assertEquals(
                "the list has no end: the server repeats a continue token",
                assertThrows(ResponseTooLongException.class, () -> limits.endPage("z", "z", 7))
                        .getMessage());
        assertDoesNotThrow(() -> limits.endPage("z", "", 0));
    }

    @Test
    void anObjectMayHaveAPartOfTheHeap() {
        assertEquals(5 * MEGABYTE, limits.longestObject());
    }

    @Test
    void aListWithoutAnEndIsReportedAndListedAgain() {
        FakeApiServer[] self = new FakeApiServer[1];
        self[0] = serve(request -> {
            if (request.watch()) {
                request.open();
                self[0].hold();
            } else if (self[0].requests.size() <= 2) {
                request.answer(200, list("7", "next", pod("a", 3)));
            } else {
                request.answer(200, list("9", "", pod("b", 8)));
            }
        });
        start(self[0], Options.defaults());
        listener.await(calls -> calls.size() >= 4);
        assertEquals(List.of("connected", "disconnected", "connected", "replaced [b] @9"), listener.calls());
    }
}
