package io.policyscheduler.cmd.kube.access;

import com.google.common.base.Splitter;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Runs a program for what it prints. */
final class ChildProcess {
    private static final int OUTPUT_LIMIT = 1 << 20;
    private static final int SHOWN_LIMIT = 500;

    private ChildProcess() {}

    /**
     * Runs it to its end, without an input.
     *
     * @param name for users
     * @param environment added to that of this process
     * @param installHint what to tell when it is not there; empty for nothing
     * @param timeout after which it is killed, and what it has started
     * @return what it printed
     * @throws IOException when it cannot be started, takes too long or fails; the message is one line, with what it said on stderr
     */
    static String run(
            String name, List<String> command, Map<String, String> environment, String installHint, Duration timeout)
            throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().putAll(environment);
        Process process;
        try {
            process = builder.start();
        } catch (IOException e) {
            String hint = line(installHint);
            throw new IOException(
                    name + ": cannot be started: " + line(String.valueOf(e.getMessage()))
                            + (hint.isEmpty() ? "" : "; " + hint),
                    e);
        }
        try {
            return finish(name, process, timeout);
        } finally {
            kill(process);
        }
    }

    private static String finish(String name, Process process, Duration timeout) throws IOException {
        long deadline = System.nanoTime() + timeout.toNanos();
        process.getOutputStream().close();
        CompletableFuture<String> out = reading(process.getInputStream(), "exec-out");
        CompletableFuture<String> err = reading(process.getErrorStream(), "exec-err");
        try {
            // Something that it has left behind may hold its output open for as long as it likes.
            boolean ended = process.waitFor(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
            if (!ended) {
                kill(process);
            }
            String said = line(until(err, Math.max(deadline, System.nanoTime() + TimeUnit.SECONDS.toNanos(1))));
            String saying = said.isEmpty() ? "" : ": " + said;
            if (!ended) {
                throw new IOException(name + ": timed out after " + timeout.toMillis() + " ms and was killed" + saying);
            }
            if (process.exitValue() != 0) {
                throw new IOException(name + ": exit code " + process.exitValue() + saying);
            }
            return until(out, Math.max(deadline, System.nanoTime() + TimeUnit.SECONDS.toNanos(1)));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException(name + ": interrupted");
        }
    }

    private static CompletableFuture<String> reading(InputStream in, String threadName) {
        CompletableFuture<String> text = new CompletableFuture<>();
        Thread thread = new Thread(
                () -> {
                    try {
                        text.complete(new String(in.readNBytes(OUTPUT_LIMIT), StandardCharsets.UTF_8));
                    } catch (IOException e) {
                        text.complete("");
                    }
                },
                threadName);
        thread.setDaemon(true);
        thread.start();
        return text;
    }

    private static String until(CompletableFuture<String> text, long deadline)
            throws IOException, InterruptedException {
        try {
            return text.get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            return "";
        } catch (ExecutionException e) {
            throw new IOException(e.getCause());
        }
    }

    private static void kill(Process process) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }

    /** A text on one line, and not too long. */
    private static String line(String text) {
        String joined =
                String.join(" ", Splitter.onPattern("\\s+").omitEmptyStrings().split(text));
        return joined.length() <= SHOWN_LIMIT ? joined : joined.substring(0, SHOWN_LIMIT) + "...";
    }
}
