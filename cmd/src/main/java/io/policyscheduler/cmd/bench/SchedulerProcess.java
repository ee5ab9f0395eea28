package io.policyscheduler.cmd.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** A scheduler at work in a process of its own, and what the system says of it. */
final class SchedulerProcess implements AutoCloseable {
    private static final long KILO = 1024;
    private static final double TICKS = 100;
    private static final int UTIME = 11;
    private static final long GRACE_SECONDS = 15;

    private final String name;
    private final Process process;
    private final Path log;
    private final long started;

    private SchedulerProcess(String name, Process process, Path log, long started) {
        this.name = name;
        this.process = process;
        this.log = log;
        this.started = started;
    }

    /**
     * Starts one; what it prints goes to a file.
     *
     * @param name for messages
     * @param command with which it is started; the process must stay the same one
     * @throws IOException when there is no such program
     */
    static SchedulerProcess start(String name, List<String> command) throws IOException {
        Path log = Files.createTempFile("bench-scheduler", ".log");
        long started = System.nanoTime();
        Process process = new ProcessBuilder(new ArrayList<>(command))
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        process.getOutputStream().close();
        return new SchedulerProcess(name, process, log, started);
    }

    /** When it was started, by {@link System#nanoTime}. */
    long started() {
        return started;
    }

    /**
     * Nothing, as long as it runs.
     *
     * @throws IOException with the last line that it has printed, when it has ended
     */
    void requireAlive() throws IOException {
        if (!process.isAlive()) {
            List<String> lines =
                    Files.readString(log, StandardCharsets.UTF_8).lines().toList();
            throw new IOException(name + " exited with code " + process.exitValue()
                    + (lines.isEmpty() ? "" : ": " + lines.get(lines.size() - 1)));
        }
    }

    /** Memory that it occupies now, bytes; 0 where the system does not tell. */
    long residentBytes() {
        return status("VmRSS");
    }

    /** The most memory that it has occupied, bytes; 0 where the system does not tell. */
    long peakBytes() {
        return status("VmHWM");
    }

    private long status(String field) {
        return proc("status")
                .flatMap(text -> text.lines()
                        .filter(line -> line.startsWith(field + ":"))
                        .findFirst())
                .map(line -> Long.parseLong(line.replaceAll("\\D", "")) * KILO)
                .orElse(0L);
    }

    /** CPU time that it has used since it was started, seconds. */
    double cpuSeconds() {
        return proc("stat").map(SchedulerProcess::cpuSeconds).orElse(0.0);
    }

    /** Of the text of {@code /proc/PID/stat}, where the name of the program may have blanks and brackets. */
    static double cpuSeconds(String stat) {
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        return (Long.parseLong(fields[UTIME]) + Long.parseLong(fields[UTIME + 1])) / TICKS;
    }

    private Optional<String> proc(String name) {
        try {
            return Optional.of(Files.readString(Path.of("/proc", Long.toString(process.pid()), name)));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(GRACE_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
            Files.deleteIfExists(log);
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            log.toFile().deleteOnExit();
        }
    }
}
