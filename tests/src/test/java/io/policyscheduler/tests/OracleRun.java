package io.policyscheduler.tests;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongFunction;
import java.util.stream.LongStream;

/**
 * Compares the snapshots of many seeds in parallel batches: {@code -Dsnapshots=20000} sets how many, {@code -Dfirst=...} the first seed, {@code
 * -Dseed=...} a single one, {@code -Dprocesses=...} the number of reference programs at a time.
 */
final class OracleRun {
    /** Default number of snapshots. */
    static final int SNAPSHOTS = 500;
    /** Several at a time, because the reference programs mostly wait for their own caches. */
    private static final int PROCESSES = 12;
    /** The number of differences that are reported. */
    private static final int MOST_DIFFERENCES = 40;

    private OracleRun() {}

    /** Creates and compares the snapshots of some seeds. */
    interface Batch {
        OracleFindings ask(long[] seeds) throws IOException, InterruptedException;
    }

    /** Returns the number of snapshots. */
    static long snapshots() {
        return System.getProperty("seed") == null ? Integer.getInteger("snapshots", SNAPSHOTS) : 1;
    }

    /** Returns the snapshots of the seeds, in order. */
    static Map<Long, ObjectNode> snapshots(long[] seeds, LongFunction<ObjectNode> scenario) {
        Map<Long, ObjectNode> snapshots = new LinkedHashMap<>();
        for (long seed : seeds) {
            snapshots.put(seed, scenario.apply(seed));
        }
        return snapshots;
    }

    /**
     * Compares all snapshots.
     *
     * @param name of the file in {@code target/oracles} to which findings are written as they arrive
     * @param size snapshots per batch
     */
    static OracleFindings run(String name, int size, Batch batch) throws InterruptedException, IOException {
        long first = Long.getLong("seed", Long.getLong("first", 1));
        long end = first + snapshots();
        OracleFindings all = new OracleFindings();
        AtomicInteger found = new AtomicInteger();
        ExecutorService pool = Executors.newFixedThreadPool(Integer.getInteger("processes", PROCESSES));
        try {
            List<Future<OracleFindings>> batches = new ArrayList<>();
            for (long seed = first; seed < end; seed += size) {
                long[] seeds =
                        LongStream.range(seed, Math.min(seed + size, end)).toArray();
                batches.add(pool.submit(() -> {
                    if (found.get() > MOST_DIFFERENCES) {
                        return new OracleFindings();
                    }
                    OracleFindings findings = batch.ask(seeds);
                    found.addAndGet(findings.differences().size());
                    return findings;
                }));
            }
            Path file = Files.createDirectories(Path.of("target", "oracles")).resolve(name + ".txt");
            long asked = 0;
            for (Future<OracleFindings> answered : batches) {
                all.add(answered.get());
                asked = Math.min(asked + size, end - first);
                Files.writeString(file, asked + " snapshots from seed " + first + "\n" + all + "\n" + all.text());
            }
            return all;
        } catch (ExecutionException e) {
            throw new AssertionError(String.valueOf(e.getCause()), e);
        } finally {
            pool.shutdownNow();
        }
    }
}
