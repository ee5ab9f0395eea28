package io.policyscheduler.tests.e2e;

import io.policyscheduler.tests.StartedProgram;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The real program in a process of its own. */
public final class Program implements AutoCloseable {
    private static final Pattern STATUS = Pattern.compile("status at (http://\\S+)");
    private static final long END_SECONDS = 20;

    private final Process process;
    private final Path log;
    private final HttpClient http = HttpClient.newHttpClient();

    private Program(Process process, Path log) {
        this.process = process;
        this.log = log;
    }

    /** Starts a command line; its output goes to a file in the folder. */
    public static Program start(Path folder, String... args) {
        return startLine(folder, StartedProgram.line(), List.of(args));
    }

    /** Starts a command line in a JVM with additional options. */
    public static Program start(Path folder, List<String> options, List<String> args) {
        return startLine(folder, StartedProgram.line(options.toArray(String[]::new)), args);
    }

    /** Starts the program of an unpacked archive. */
    static Program startFrom(Path home, Path folder, List<String> args) {
        return startLine(folder, List.of(home.resolve("bin/policy-scheduler").toString()), args);
    }

    private static Program startLine(Path folder, List<String> program, List<String> args) {
        Path log = folder.resolve("program.log");
        List<String> command = new ArrayList<>(program);
        command.addAll(args);
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
            return new Program(process, log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the output so far. */
    public String output() {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public void awaitOutput(String text) {
        Await.until(LiveCluster.PATIENCE, "the program writes " + text, () -> output().contains(text), this::output);
    }

    /** Returns a metric, with its labels as shown; empty if it is missing. */
    public String metric(String name) {
        return metrics()
                .lines()
                .filter(line -> line.startsWith(name + " "))
                .map(line -> line.substring(name.length() + 1))
                .findFirst()
                .orElse("");
    }

    /** Returns all metrics; empty while they are not served. */
    public String metrics() {
        return get("/metrics");
    }

    /** Returns a page of the status port; empty while it is not served. */
    public String get(String path) {
        Matcher address = STATUS.matcher(output());
        if (!address.find()) {
            return "";
        }
        try {
            HttpRequest request =
                    HttpRequest.newBuilder(URI.create(address.group(1) + path)).build();
            return http.send(request, HttpResponse.BodyHandlers.ofString()).body();
        } catch (IOException e) {
            return "";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "";
        }
    }

    public void awaitMetric(String name, String value) {
        Await.until(
                LiveCluster.PATIENCE, name + " is " + value, () -> metric(name).equals(value), this::output);
    }

    /** Waits until its watch of a resource has reached a version. Needs a status port. */
    void awaitSeen(String resource, long version) {
        String name = "policy_scheduler_watch_resource_version{resource=\"" + resource + "\"}";
        Await.until(
                LiveCluster.PATIENCE,
                resource + " have been seen up to version " + version,
                () -> {
                    String seen = metric(name);
                    return !seen.isEmpty() && Double.parseDouble(seen) >= version;
                },
                this::output);
    }

    /** Sends a signal, such as {@code HUP}. */
    public void signal(String name) {
        try {
            new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                    .start()
                    .waitFor();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Kills the process. */
    public void kill() {
        process.destroyForcibly();
    }

    /** Waits for its end. Returns the exit code. */
    public int awaitEnd() {
        Await.until(LiveCluster.PATIENCE, "the program ends", () -> !process.isAlive(), this::output);
        return process.exitValue();
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
