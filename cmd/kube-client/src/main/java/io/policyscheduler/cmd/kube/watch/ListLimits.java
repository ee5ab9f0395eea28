package io.policyscheduler.cmd.kube.watch;

import io.policyscheduler.cmd.kube.connection.KubeConnection.ResponseTooLongException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/**
 * The limits of one list, with all its pages. A list without an end then fails, and does not use up the heap. There is no limit
 * on the length of a list: its objects need less memory than its bytes, and only the heap shows whether they fit.
 */
final class ListLimits {
    /** Far more than the largest object that a server stores; a longer value has no end. */
    static final int LONGEST_VALUE = 64 * 1024 * 1024;

    private static final int SMALLEST_OBJECT_LIMIT = 4 * 1024 * 1024;
    /** Part of the heap for the bytes of one object, whose buffer is copied when it grows. */
    private static final int OBJECT_PART = 32;
    /** An API server ends a list after one minute by default, and its continue tokens expire after about five minutes. */
    private static final Duration LONGEST_LIST = Duration.ofMinutes(15);

    private static final int MOST_EMPTY_PAGES = 100;
    private static final int READS_PER_CHECK = 1024;
    private static final long LONGEST_SKIP = 64 * 1024;

    private final Heap heap;
    private final InstantSource clock;
    private final Instant end;
    private long bytes;
    private int emptyPages;

    /** Starts a list. */
    ListLimits(Heap heap, InstantSource clock) {
        this.heap = heap;
        this.clock = clock;
        this.end = clock.instant().plus(LONGEST_LIST);
    }

    /** Maximum number of bytes of an object that is decoded. */
    static int longestObject(Heap heap) {
        return (int) Math.min(LONGEST_VALUE, Math.max(SMALLEST_OBJECT_LIMIT, heap.max() / OBJECT_PART));
    }

    int longestObject() {
        return longestObject(heap);
    }

    /** Returns a stream that fails with {@link ResponseTooLongException} at a limit. */
    InputStream limit(InputStream response) {
        return new Limited(response);
    }

    /**
     * Checks that pages make progress.
     *
     * @param token the continue token of the request; empty for the first page
     * @param next the continue token of the response
     * @param objects number of objects on the page
     */
    void endPage(String token, String next, long objects) throws IOException {
        emptyPages = objects == 0 ? emptyPages + 1 : 0;
        if (!next.isEmpty() && (next.equals(token) || emptyPages > MOST_EMPTY_PAGES)) {
            throw new ResponseTooLongException(
                    next.equals(token)
                            ? "the list has no end: the server repeats a continue token"
                            : "the list has no end: " + emptyPages + " pages in a row are empty");
        }
    }

    private void check() throws IOException {
        if (clock.instant().isAfter(end)) {
            throw new ResponseTooLongException(
                    "the list did not end within " + LONGEST_LIST.toMinutes() + " minutes (" + size(bytes) + ")");
        }
        // Garbage counts as used. It is collected only if the heap is nearly full, or if live objects filled it before.
        if (heap.used() < heap.max() / 4 * 3) {
            return;
        }
        long most = heap.max() / 8 * 7;
        if (heap.live() > most || heap.used() > heap.max() / 32 * 31) {
            heap.collect();
            if (heap.live() > most) {
                throw new ResponseTooLongException("the list does not fit into the heap of " + size(heap.max())
                        + ": after " + size(bytes) + " of the list, 7/8 of the heap are in use; set a larger -Xmx");
            }
        }
    }

    private static String size(long bytes) {
        return (bytes >> 20) + " MB";
    }

    /** The heap of the process; all numbers in bytes. */
    interface Heap {
        /** The heap of this process. */
        Heap OF_PROCESS = new ProcessHeap();

        long max();

        /** Objects and garbage. */
        long used();

        /** What the last collection of each part of the heap left. */
        long live();

        void collect();
    }

    private static final class ProcessHeap implements Heap {
        @Override
        public long max() {
            return Runtime.getRuntime().maxMemory();
        }

        @Override
        public long used() {
            return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
        }

        @Override
        public long live() {
            return ManagementFactory.getMemoryPoolMXBeans().stream()
                    .filter(pool -> pool.getType() == MemoryType.HEAP)
                    .mapToLong(pool -> used(pool.getCollectionUsage()))
                    .sum();
        }

        private static long used(@Nullable MemoryUsage afterCollection) {
            return afterCollection == null ? 0 : afterCollection.getUsed();
        }

        @Override
        public void collect() {
            System.gc();
        }
    }

    private final class Limited extends FilterInputStream {
        private int reads;

        Limited(InputStream in) {
            super(in);
        }

        @Override
        public int read() throws IOException {
            if (++reads % READS_PER_CHECK == 0) {
                check();
            }
            bytes++;
            return super.read();
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            check();
            int read = super.read(target, offset, length);
            bytes += Math.max(0, read);
            return read;
        }

        @Override
        public long skip(long count) throws IOException {
            check();
            long skipped = super.skip(Math.min(count, LONGEST_SKIP));
            bytes += skipped;
            return skipped;
        }
    }
}
