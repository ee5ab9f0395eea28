package io.policyscheduler.tests.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two processes with one lease are replaced one after the other under load: from an earlier build to this one, back, and to this one
 * again after a kill. The earlier build is an unpacked archive, {@code -Dupgrade.from=HOME}; without it, both are this build.
 */
class UpgradeTest {
    private static final int POD_MILLIS = 100;
    /** The default of {@code --leader-elect-lease-duration}, and the time that processes on a busy machine need in addition. */
    private static final Duration LONGEST_GAP = Duration.ofSeconds(15 + 5);

    private final LiveCluster live = new LiveCluster();
    private final Path folder;
    private int started;

    UpgradeTest(@TempDir Path folder) {
        this.folder = folder;
    }

    @AfterEach
    void close() {
        live.close();
    }

    private Program start(boolean isEarlier) throws IOException {
        started++;
        Path own = Files.createDirectory(folder.resolve("process-" + started));
        List<String> args = List.of(
                "run",
                "--master",
                live.cluster().url(),
                "--scheduler-name",
                Manifest.SCHEDULER,
                "--algorithm-provider",
                "DefaultProvider",
                "--leader-elect",
                "--leader-elect-retry-period",
                "200ms",
                "--status-address",
                "127.0.0.1:0");
        String home = System.getProperty("upgrade.from", "");
        return isEarlier && !home.isEmpty()
                ? Program.startFrom(Path.of(home), own, args)
                : Program.start(own, args.toArray(String[]::new));
    }

    /** Creates pods at a steady rate until it is closed, and measures the longest time without a bind. */
    private final class Load implements AutoCloseable {
        private final AtomicInteger created = new AtomicInteger();
        private final AtomicLong longestGapNanos = new AtomicLong();
        private long lastBindNanos = System.nanoTime();
        private int bound;
        private final ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor();
        private final ScheduledFuture<?> creation =
                executor.scheduleWithFixedDelay(this::create, 0, POD_MILLIS, TimeUnit.MILLISECONDS);

        private void create() {
            live.api().createPod(Manifest.pod("p" + created.get(), "1m"));
            created.incrementAndGet();
            int now = live.audit().bound();
            long gap = System.nanoTime() - lastBindNanos;
            longestGapNanos.accumulateAndGet(gap, Math::max);
            if (now > bound) {
                bound = now;
                lastBindNanos += gap;
            }
        }

        /** Waits until more pods were created and bound than were waiting before this call. */
        void awaitBinds() {
            int more = created.get() + 10;
            Await.until(
                    LiveCluster.PATIENCE, "binds continue", () -> live.audit().bound() >= more, live::state);
        }

        /** Returns after the last pod was created. */
        @Override
        public void close() {
            executor.shutdown();
            Await.until(LiveCluster.PATIENCE, "the last pod is created", executor::isTerminated, live::state);
            // A failed creation would have ended the load.
            assertTrue(creation.isCancelled(), live::state);
        }
    }

    private static void awaitLeader(Program program) {
        program.awaitMetric("policy_scheduler_leader", "1.0");
    }

    private static void awaitStandby(Program program) {
        program.awaitMetric("policy_scheduler_leader", "0.0");
    }

    @Test
    void losesNothingUpAndDownUnderLoad() throws IOException {
        live.addNodes(40, "64");
        int pods;
        Duration gap;
        try (Program first = start(true)) {
            awaitLeader(first);
            try (Load load = new Load()) {
                load.awaitBinds();
                try (Program upgraded = start(false)) {
                    awaitStandby(upgraded);
                    stop(first);
                    awaitLeader(upgraded);
                    load.awaitBinds();
                    try (Program back = start(true)) {
                        awaitStandby(back);
                        stop(upgraded);
                        awaitLeader(back);
                        load.awaitBinds();
                        try (Program again = start(false)) {
                            awaitStandby(again);
                            back.kill();
                            awaitLeader(again);
                            load.awaitBinds();
                            load.close();
                            pods = load.created.get();
                            gap = Duration.ofNanos(load.longestGapNanos.get());
                            live.awaitAllBound(pods);
                        }
                    }
                }
            }
        }
        assertTrue(gap.compareTo(LONGEST_GAP) <= 0, () -> "no pod was bound for " + gap);
        // Each pod is bound once, and to a node with room.
        assertEquals(pods, live.audit().bound());
        live.assertSound();
    }

    /** A process that is stopped releases the lease, so that the next one need not wait for its end. */
    private static void stop(Program program) {
        program.signal("TERM");
        assertEquals(0, program.awaitEnd(), program::output);
        assertTrue(program.output().contains("released"), program::output);
    }
}
