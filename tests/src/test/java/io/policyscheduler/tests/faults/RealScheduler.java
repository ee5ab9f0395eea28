package io.policyscheduler.tests.faults;

import io.policyscheduler.tests.RealPrograms;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A real kube-scheduler in a process of its own; skips the test if it is not installed. */
final class RealScheduler implements AutoCloseable {
    private static final long END_SECONDS = 10;

    private final Process process;
    private final Path log;

    private RealScheduler(Process process, Path log) {
        this.process = process;
        this.log = log;
    }

    /**
     * Starts it without serving ports.
     *
     * @param log for its output
     * @param flags without those for serving
     */
    static RealScheduler start(String release, Path log, List<String> flags) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(RealPrograms.program("kube-scheduler", release).toString());
        command.addAll(flags);
        // Later releases have no insecure port.
        command.addAll(
                release.equals("1.17")
                        ? List.of("--port=0", "--secure-port=0", "--v=4")
                        : List.of("--secure-port=0", "--v=4"));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        return new RealScheduler(process, log);
    }

    String output() {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the number of lines with this text. */
    long count(String text) {
        return output().lines().filter(line -> line.contains(text)).count();
    }

    /** Kills it; it does not release its lease on this or any other signal. */
    @Override
    public void close() {
        process.destroyForcibly();
        try {
            if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException("kube-scheduler does not end");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
