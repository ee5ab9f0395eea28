package io.policyscheduler.cmd.kube.access;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Credentials that a program prints (client-go exec plug-ins, {@code client.authentication.k8s.io}): a token, a client
 * certificate, or both. It runs again when they have expired, and when the server has refused them.
 */
final class ExecPlugin implements Credentials {
    static final Duration TIMEOUT = Duration.ofSeconds(30);

    private static final String GROUP = "client.authentication.k8s.io/";
    private static final Set<String> VERSIONS = Set.of(GROUP + "v1", GROUP + "v1beta1", GROUP + "v1alpha1");

    /**
     * What to run.
     *
     * @param command path or name
     * @param environment added to that of this process
     * @param version the apiVersion in which it is spoken to
     * @param installHint what to tell when it is not there; empty for nothing
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

    /** @param wallClock by which what it prints expires */
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
                // It has failed while this caller waited for it; a second run right away would do no better.
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
            // What it printed may be a secret all the same.
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
}
