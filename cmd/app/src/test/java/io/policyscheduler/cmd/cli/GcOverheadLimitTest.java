package io.policyscheduler.cmd.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.cmd.cli.ErrorReport.GcOverheadLimit;
import io.policyscheduler.cmd.cli.ErrorReport.GcOverheadLimit.HeapUsage;
import io.policyscheduler.cmd.kube.connection.VirtualTime;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Processes whose heap is almost too small. */
class GcOverheadLimitTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    /** The working directory of processes, because the program writes its kubeconfig file there. */
    private final Path folder;

    GcOverheadLimitTest(@TempDir Path folder) {
        this.folder = folder;
    }

    private static final Set<String> SERIAL = Set.of("Copy", "MarkSweepCompact");

    /** The process ends if garbage collection takes most of two minutes in a row and frees almost nothing. */
    @ParameterizedTest
    @CsvSource({
        // collections until the end of each minute, s | free heap after the last one, % | the end of the process
        "0 30 60, 4, ''",
        "0 31, 4, ''",
        "0 31 62, 4, 51 % of the last 60 s | 4",
        "0 31 62, 5, ''",
        "0 31 61 92, 4, ''",
        "50 60 110 159, 0, 81 % of the last 60 s | 0",
        "59 59 59 59, 0, ''",
    })
    void endsAProcessThatOnlyCollectsGarbage(String seconds, long free, String expected) {
        endsAProcess(seconds, free, true, "heap, such as POLICY_SCHEDULER_JAVA_OPTS=-Xmx2g", expected);
    }

    /** The image has no launcher that reads options from the environment; its heap is a part of the container's memory. */
    @Test
    void namesTheLimitOfTheContainer() {
        endsAProcess("0 31 62", 4, false, "memory limit of the container", "51 % of the last 60 s | 4");
    }

    @Test
    void otherCollectorsHaveTheirOwnLimit() {
        StringWriter err = new StringWriter();
        new GcOverheadLimit(
                        MINUTE,
                        true,
                        () -> Set.of("G1 Young Generation", "G1 Old Generation"),
                        () -> {
                            throw new IllegalStateException("no usage is read");
                        },
                        () -> 0,
                        delay -> {},
                        new PrintWriter(err),
                        code -> err.append("ended"))
                .run();
        assertEquals("", err.toString());
    }

    private static void endsAProcess(String seconds, long free, boolean hasLauncher, String advice, String expected) {
        VirtualTime time = new VirtualTime();
        Deque<HeapUsage> usages = new ArrayDeque<>();
        for (String second : seconds.split(" ", -1)) {
            usages.add(new HeapUsage(Long.parseLong(second) * 1000, free));
        }
        time.at(MINUTE.multipliedBy(usages.size()), () -> {}).at(MINUTE.multipliedBy(usages.size() + 1L), () -> {});
        StringWriter err = new StringWriter();
        List<Integer> ends = new ArrayList<>();
        new GcOverheadLimit(
                        MINUTE,
                        hasLauncher,
                        () -> SERIAL,
                        usages::remove,
                        time.ticker()::read,
                        delay -> {
                            if (usages.isEmpty()) {
                                throw new InterruptedException();
                            }
                            time.sleep(delay);
                        },
                        new PrintWriter(err),
                        ends::add)
                .run();
        String[] parts = expected.split(" \\| ", -1);
        assertEquals(
                expected.isEmpty()
                        ? ""
                        : "error: out of memory: garbage collection took " + parts[0] + ", and " + parts[1]
                                + " % of the heap are free; set a larger " + advice + "\n",
                err.toString());
        assertEquals(expected.isEmpty() ? List.of() : List.of(3), ends);
        assertEquals(expected.isEmpty(), Thread.interrupted());
    }

    /** A process whose live objects fill almost all of its heap. */
    static final class FullHeap {
        private static final int PART = 16 * 1024;
        private static final int FREE_PARTS = 24;

        private FullHeap() {}

        @SuppressWarnings("InfiniteLoopStatement")
        public static void main(String[] args) {
            GcOverheadLimit.start(
                    new PrintWriter(System.err, true, StandardCharsets.UTF_8), true, Duration.ofSeconds(2));
            Deque<byte[]> live = new ArrayDeque<>();
            try {
                while (true) {
                    live.add(new byte[PART]);
                }
            } catch (OutOfMemoryError e) {
                for (int i = 0; i < FREE_PARTS; i++) {
                    live.remove();
                }
            }
            while (true) {
                live.remove();
                live.add(new byte[PART]);
            }
        }
    }

    private Process start(String tool, String... arguments) throws IOException {
        List<String> line = new ArrayList<>();
        line.add(Path.of(System.getProperty("java.home"), "bin", tool).toString());
        line.addAll(List.of(arguments));
        return new ProcessBuilder(line)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
    }

    private static String output(Process process) throws IOException {
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    @Test
    void endsARealProcess() throws IOException, InterruptedException {
        Process process = start(
                "java",
                "-XX:+UseSerialGC",
                "-Xmx24m",
                "-cp",
                System.getProperty("java.class.path"),
                FullHeap.class.getName());
        String output = output(process);
        assertEquals(3, process.waitFor(), output);
        assertTrue(
                output.matches("error: out of memory: garbage collection took \\d+ % of the last 2 s, .*\\R"), output);
    }

    /** The program checks its heap from the start on. */
    @Test
    void theProgramHasTheLimit() throws IOException, InterruptedException {
        Process program = start(
                "java", "-cp", System.getProperty("java.class.path"), Main.class.getName(), "cluster", "--port", "0");
        try {
            // Its first output.
            assertTrue(program.getInputStream().read() >= 0);
            String threads = output(start("jstack", Long.toString(program.pid())));
            assertTrue(threads.contains("\"gc-overhead-limit\" #"), threads);
        } finally {
            program.destroyForcibly().waitFor();
        }
    }
}
