package io.policyscheduler.cmd.kube.connection;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.common.base.Splitter;
import io.policyscheduler.cmd.kube.connection.ClientTls.ClientCertificate;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Credentials from the output of a program (exec plugins of client-go, {@code client.authentication.k8s.io}): a token, a client
 * certificate, or both. The program runs again when they expire, and after a 401.
 */
final class ExecPlugin implements Credentials {
    static final Duration TIMEOUT = Duration.ofSeconds(30);

    private static final String GROUP = "client.authentication.k8s.io/";
    private static final Set<String> VERSIONS = Set.of(GROUP + "v1", GROUP + "v1beta1", GROUP + "v1alpha1");

    /**
     * The program of a plugin.
     *
     * @param command path or name
     * @param environment added to that of this process
     * @param version the apiVersion of its input and output
     * @param installHint a part of the error if it is missing; empty for none
     * @param info the value of {@code KUBERNETES_EXEC_INFO}
     */
    record Program(
            String command,
            List<String> arguments,
            Map<String, String> environment,
            String version,
            String installHint,
            String info) {
        Program {
            arguments = List.copyOf(arguments);
            environment = Map.copyOf(environment);
        }
    }

    /** @param expiry null for never */
    private record Answer(
            String token,
            @Nullable ClientCertificate certificate,
            @Nullable Instant expiry) {
        String authorization() {
            return token.isEmpty() ? "" : "Bearer " + token;
        }
    }

    private final Program program;
    private final Duration timeout;
    private final InstantSource wallClock;
    private final ObjectMapper mapper = new ObjectMapper();

    private @Nullable Answer answer;
    private @Nullable IOException failure;
    private long failures;

    /** @param wallClock the clock for the expiration */
    ExecPlugin(Program program, Duration timeout, InstantSource wallClock) {
        this.program = program;
        this.timeout = timeout;
        this.wallClock = wallClock;
    }

    static boolean isVersion(String apiVersion) {
        return VERSIONS.contains(apiVersion);
    }

    @Override
    public String authorization() throws IOException {
        return current().authorization();
    }

    @Override
    public @Nullable ClientCertificate certificate() throws IOException {
        return current().certificate();
    }

    @Override
    public synchronized void refused(String authorization) {
        if (answer != null && answer.authorization().equals(authorization)) {
            answer = null;
        }
    }

    private Answer current() throws IOException {
        long seen = failures();
        synchronized (this) {
            Answer known = answer;
            if (known != null && !isExpired(known)) {
                return known;
            }
            IOException failed = failure;
            if (failed != null && failures != seen) {
                // It failed while this caller waited. An immediate second run would fail, too.
                throw new IOException(failed.getMessage(), failed);
            }
            try {
                Answer found = read(ChildProcess.run(name(), command(), environment(), program.installHint(), timeout));
                answer = found;
                return found;
            } catch (IOException e) {
                failure = e;
                failures++;
                throw e;
            }
        }
    }

    private synchronized long failures() {
        return failures;
    }

    private boolean isExpired(Answer known) {
        return known.expiry() != null && !wallClock.instant().isBefore(known.expiry());
    }

    private String name() {
        return "exec plugin " + program.command();
    }

    private List<String> command() {
        return Stream.concat(Stream.of(program.command()), program.arguments().stream())
                .toList();
    }

    private Map<String, String> environment() {
        Map<String, String> all = new TreeMap<>(program.environment());
        all.put("KUBERNETES_EXEC_INFO", program.info());
        return all;
    }

    private Answer read(String output) throws IOException {
        JsonNode printed;
        try {
            printed = mapper.readTree(output);
        } catch (IOException e) {
            // The output can contain a secret.
            throw new IOException(name() + ": the output is not JSON");
        }
        String version = printed.path("apiVersion").asText();
        if (!printed.path("kind").asText().equals("ExecCredential") || !version.equals(program.version())) {
            throw new IOException(name() + ": is configured for " + program.version() + " ExecCredential, but printed "
                    + (version.isEmpty() ? "no apiVersion" : version) + " "
                    + printed.path("kind").asText("without kind"));
        }
        JsonNode status = printed.path("status");
        String token = status.path("token").asText("");
        String certificate = status.path("clientCertificateData").asText("");
        String key = status.path("clientKeyData").asText("");
        if (certificate.isEmpty() != key.isEmpty()) {
            throw new IOException(name() + ": printed only one of clientCertificateData and clientKeyData");
        }
        if (token.isEmpty() && certificate.isEmpty()) {
            throw new IOException(name() + ": printed neither a token nor a client certificate");
        }
        return new Answer(
                token, certificate.isEmpty() ? null : new ClientCertificate(certificate, key), expiry(status));
    }

    private @Nullable Instant expiry(JsonNode status) throws IOException {
        String text = status.path("expirationTimestamp").asText("");
        try {
            return text.isEmpty() ? null : OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeParseException e) {
            throw new IOException(name() + ": expirationTimestamp \"" + text + "\" is not a time", e);
        }
    }

    /** Runs a program and returns its output. */
    static final class ChildProcess {
        private static final int OUTPUT_LIMIT = 1 << 20;
        private static final int SHOWN_LIMIT = 500;

        private ChildProcess() {}

        /**
         * Runs a program to its end, without input.
         *
         * @param name for users
         * @param environment added to that of this process
         * @param installHint a part of the error if it is missing; empty for none
         * @param timeout after which it and its descendants are killed
         * @return its standard output
         * @throws IOException if it cannot be started, takes too long, or fails; the message is one line with its standard error
         */
        static String run(
                String name,
                List<String> command,
                Map<String, String> environment,
                String installHint,
                Duration timeout)
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
                // A descendant can keep its output open after its end.
                boolean ended = process.waitFor(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
                if (!ended) {
                    kill(process);
                }
                String said = line(until(err, Math.max(deadline, System.nanoTime() + TimeUnit.SECONDS.toNanos(1))));
                String saying = said.isEmpty() ? "" : ": " + said;
                if (!ended) {
                    throw new IOException(
                            name + ": timed out after " + timeout.toMillis() + " ms and was killed" + saying);
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

        /** Returns a text on one line, shortened. */
        private static String line(String text) {
            String joined = String.join(
                    " ", Splitter.onPattern("\\s+").omitEmptyStrings().split(text));
            return joined.length() <= SHOWN_LIMIT ? joined : joined.substring(0, SHOWN_LIMIT) + "...";
        }
    }
}
