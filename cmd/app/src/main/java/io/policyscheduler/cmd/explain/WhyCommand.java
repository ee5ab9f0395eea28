package io.policyscheduler.cmd.explain;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.policyscheduler.cmd.history.DecisionLines;
import io.policyscheduler.cmd.history.LoggedDecisions;
import io.policyscheduler.cmd.kube.connection.ClientTls;
import io.policyscheduler.cmd.kube.connection.KubeConnection.HttpCalls;
import io.policyscheduler.cmd.options.CommonOptions;
import io.policyscheduler.cmd.options.CommonOptions.DurationConverter;
import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.cmd.options.ExitCode.ClusterFailure;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.sources.InputFiles;
import io.policyscheduler.cmd.sources.PodNames;
import io.policyscheduler.engine.document.TextInput;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLPeerUnverifiedException;
import okhttp3.HttpUrl;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** The command {@code why}: shows the recorded decisions of a running scheduler about a pod. */
@Command(
        name = "why",
        description = "Shows what a running scheduler decided about a pod, and why.",
        sortOptions = false,
        customSynopsis = {
            "policy-scheduler why POD [-n NAMESPACE] [--url=URL] [OPTION...]",
            "policy-scheduler why POD [-n NAMESPACE] --log=DIR|FILE [--at=TIME] [OPTION...]"
        },
        footer = {
            "",
            "Reports decisions that a scheduler recorded. (explain schedules the pod again instead.) A",
            "running scheduler keeps its newest decisions in memory (run --decision-history). The exit code is",
            "0 if a decision is found, else 1.",
            "",
            "--log reads the files of run --decision-log and needs no running scheduler. It also finds",
            "decisions of earlier processes and of deleted pods.",
            "",
            "-o json prints the response of /debug/decisions?pod=NAMESPACE/NAME on the status port, as",
            "docs/schemas/why.schema.json describes. The newest decision comes first. If \"found\" is 0,",
            "\"similar\" lists pods whose names start with POD."
        })
public final class WhyCommand implements Callable<Integer> {
    private static final int EARLIER = 20;

    @Spec
    private CommandSpec spec;

    @Parameters(
            paramLabel = "POD",
            description = "NAME, NAMESPACE/NAME, or pod/NAME. A unique prefix of the name is enough.")
    private String podName = "";

    @Option(
            names = {"-n", "--namespace"},
            paramLabel = "NAMESPACE",
            description = "Namespace of the pod (default: the namespace \"default\", then all other namespaces).")
    private @Nullable String namespace;

    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "1",
            description = "Number of decisions to show, newest first, 1 to 1000 (default: ${DEFAULT-VALUE}).")
    private int limit = 1;

    @Option(
            names = "--log",
            paramLabel = "DIR|FILE",
            description = "Read a decision log, the value of run --decision-log. Repeatable, for the logs of several"
                    + " replicas.")
    private List<Path> logs = List.of();

    @Option(
            names = "--at",
            paramLabel = "TIME",
            converter = TimeConverter.class,
            description =
                    "Ignore decisions after this time. RFC 3339, such as 2026-11-28T03:12:00Z, or how long ago, such"
                            + " as 2h.")
    private @Nullable Instant at;

    @Option(
            names = "--log-key",
            paramLabel = "FILE",
            description = "The key of run --decision-log-key, to find a pod in a log with pseudonyms.")
    private @Nullable Path logKey;

    private final Set<String> warned = new HashSet<>();

    @Mixin
    private SchedulerAddress scheduler = new SchedulerAddress();

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Override
    public Integer call() {
        String name = podName.replaceFirst("^(?:pods?|po)/", "");
        boolean whole = name.contains("/");
        String pod = whole ? name : (namespace == null ? PodNames.DEFAULT_NAMESPACE : namespace) + "/" + name;
        if (!pod.matches("[^/]+/[^/]+")) {
            throw new ParameterException(spec.commandLine(), "POD: \"" + pod + "\" is not NAMESPACE/NAME");
        }
        if (limit < 1 || limit > 1000) {
            throw new ParameterException(spec.commandLine(), "--limit: " + limit + " is not from 1 to 1000");
        }
        try {
            scheduler.require();
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
        if (logs.isEmpty() && (at != null || logKey != null)) {
            throw new ParameterException(
                    spec.commandLine(), (at != null ? "--at" : "--log-key") + " needs --log, the decision log to read");
        }
        JsonNode answer = decisions(pod, limit);
        List<String> similar = similar(answer, whole || namespace != null ? pod : "");
        if (similar.size() > 1) {
            throw new InputException(pod + " is ambiguous: " + String.join(", ", similar) + "; use the full name");
        }
        return similar.isEmpty() ? print(pod, answer) : print(similar.get(0), decisions(similar.get(0), limit));
    }

    private JsonNode decisions(String pod, int most) {
        if (logs.isEmpty()) {
            return scheduler.decisions(pod, most);
        }
        LoggedDecisions log = new LoggedDecisions(logs, at == null ? Instant.MAX : at, names(), this::warn);
        JsonNode answer;
        try {
            answer = log.decisions(pod, most);
        } catch (IOException e) {
            throw new InputException("cannot read " + e.getMessage(), e);
        }
        if (logKey == null && log.isAnonymous() && answer.path("decisions").isEmpty()) {
            throw new InputException(
                    "the names in the log are pseudonyms; set --log-key to the file of run --decision-log-key");
        }
        return answer;
    }

    private DecisionLines names() {
        if (logKey == null) {
            return DecisionLines.open("");
        }
        try {
            return DecisionLines.anonymous("", logKey);
        } catch (IOException e) {
            throw InputFiles.unreadable(logKey, e);
        }
    }

    /** Prints a warning, once for all passes over the logs. */
    private void warn(String problem) {
        if (warned.add(problem)) {
            common.err().println("warning: " + problem);
            common.err().flush();
        }
    }

    /** A time, or a duration before now. */
    static final class TimeConverter implements ITypeConverter<Instant> {
        @Override
        public Instant convert(String text) {
            try {
                return Instant.parse(text);
            } catch (DateTimeParseException e) {
                try {
                    return Instant.now().minus(new DurationConverter().convert(text));
                } catch (IllegalArgumentException | TypeConversionException other) {
                    throw new TypeConversionException("\"" + text
                            + "\" is neither a time such as 2026-11-28T03:12:00Z nor a duration such as 2h");
                }
            }
        }
    }

    /** Pods with similar names, if there is no decision about the given pod. */
    private static List<String> similar(JsonNode answer, String begin) {
        List<String> names = new ArrayList<>();
        for (JsonNode name : answer.path("similar")) {
            if (name.asText().startsWith(begin)) {
                names.add(name.asText());
            }
        }
        return names;
    }

    private int print(String pod, JsonNode answer) {
        boolean known = !answer.path("decisions").isEmpty();
        if (!known) {
            common.err().println("no decision about " + pod + " is recorded: " + recorded(answer));
            common.err().flush();
        }
        common.output().write(() -> show(pod, answer), () -> answer);
        return known ? ExitCode.OK : ExitCode.NEGATIVE;
    }

    private void show(String pod, JsonNode answer) {
        DecisionText text = new DecisionText(common.out());
        JsonNode decisions = answer.path("decisions");
        decisions.forEach(text::print);
        JsonNode last = decisions.path(decisions.size() - 1);
        if (!last.hasNonNull("nominatedNode")) {
            return;
        }
        // The attempt that evicted pods precedes the one that used their resources.
        for (JsonNode earlier : decisions(pod, EARLIER).path("decisions")) {
            boolean isOlder =
                    earlier.path("number").asLong() < last.path("number").asLong();
            if (isOlder && earlier.path("preemption").isObject()) {
                text.earlierPreemption(earlier);
                return;
            }
        }
    }

    private String recorded(JsonNode answer) {
        if (!logs.isEmpty()) {
            if (!answer.hasNonNull("since")) {
                return "the log contains no decision" + (at == null ? "" : " before " + at + "; check the time");
            }
            return "the log contains " + answer.path("decided").asLong() + " decisions since "
                    + answer.path("since").asText() + (at == null ? "" : ", and none about this pod before " + at)
                    + "; check the name, and the time";
        }
        int kept = answer.path("kept").asInt();
        String decisions = kept == 0
                ? "the scheduler has recorded no decision yet"
                : "the scheduler has recorded " + kept + " decisions since "
                        + answer.path("since").asText();
        return decisions + " (run --decision-history keeps "
                + answer.path("capacity").asInt() + "); check the name, and spec.schedulerName of the pod";
    }

    /** The status address of a running scheduler, with credentials. */
    static final class SchedulerAddress {
        /** In bytes; many times the size of the decisions of one pod. */
        private static final int LONGEST_ANSWER = 16 * 1024 * 1024;

        private static final Duration PATIENCE = Duration.ofSeconds(10);
        private static final int NOT_FOUND = 404;

        @Option(
                names = "--url",
                paramLabel = "URL",
                defaultValue = "http://127.0.0.1:10251",
                description = "URL of the status port of the scheduler (default: ${DEFAULT-VALUE}).")
        private String url = "";

        @Option(
                names = "--token-file",
                paramLabel = "FILE",
                description = "File with a bearer token. Sent only over HTTPS.")
        private @Nullable Path tokenFile;

        @Option(
                names = "--certificate-authority",
                paramLabel = "FILE",
                description = "CA certificates in PEM format (default: the CAs of the Java runtime).")
        private @Nullable Path authorities;

        @Option(
                names = "--insecure-skip-tls-verify",
                description = "Do not verify the certificate of the scheduler. The token can be stolen.")
        private boolean insecure;

        /** The URL, or the reason why it cannot be used. */
        HttpUrl require() {
            HttpUrl parsed = HttpUrl.parse(url);
            if (parsed == null) {
                throw new IllegalArgumentException("--url: \"" + url + "\" is not an http or https URL");
            }
            if (tokenFile != null && !parsed.isHttps()) {
                throw new IllegalArgumentException(
                        "--token-file: " + url + " would send the token unencrypted;" + " use the https port in --url");
            }
            return parsed;
        }

        /**
         * Returns the decisions about a pod.
         *
         * @param pod namespace/name
         * @throws ClusterFailure if the scheduler does not respond, or with an invalid response
         * @throws InputException if a file cannot be used
         */
        JsonNode decisions(String pod, int limit) {
            HttpUrl address = require()
                    .newBuilder()
                    .addPathSegments("debug/decisions")
                    .addQueryParameter("pod", pod)
                    .addQueryParameter("limit", Integer.toString(limit))
                    .build();
            Request.Builder request = new Request.Builder().url(address);
            if (tokenFile != null) {
                request.header("Authorization", "Bearer " + read(tokenFile).strip());
            }
            OkHttpClient client = client();
            try (Response response = HttpCalls.execute(client.newCall(request.build()))) {
                String body = new String(
                        HttpCalls.read(response.body().byteStream(), LONGEST_ANSWER), StandardCharsets.UTF_8);
                if (!response.isSuccessful()) {
                    throw new ClusterFailure(refusal(response.code(), message(body)));
                }
                JsonNode answer = new ObjectMapper().readTree(body);
                if (!answer.path("decisions").isArray()) {
                    throw new ClusterFailure(url + " does not respond like policy-scheduler; is it another program?");
                }
                return answer;
            } catch (JsonProcessingException e) {
                throw new ClusterFailure(url + " does not respond like policy-scheduler; is it another program?", e);
            } catch (SSLHandshakeException | SSLPeerUnverifiedException e) {
                throw new ClusterFailure(
                        "the certificate of " + url + " is not trusted: " + e.getMessage()
                                + "; use --certificate-authority with the certificate of its CA",
                        e);
            } catch (IOException e) {
                throw new ClusterFailure(
                        "cannot connect to the scheduler at " + url + ": " + e.getMessage()
                                + "; set --url to its status port",
                        e);
            } finally {
                client.connectionPool().evictAll();
                client.dispatcher().executorService().shutdown();
            }
        }

        /** The message of a metav1.Status, else the body. */
        private static String message(String body) {
            try {
                JsonNode message = new ObjectMapper().readTree(body).path("message");
                return message.isTextual() ? message.asText() : body.strip();
            } catch (JsonProcessingException e) {
                return body.strip();
            }
        }

        private String refusal(int code, String message) {
            return switch (code) {
                case NOT_FOUND ->
                    url + " has no recorded decisions: it is not policy-scheduler, or runs with --decision-history=0";
                case 401 ->
                    url + " requires authentication (401: " + message
                            + "); use --token-file with a token of its cluster (kubectl create token)";
                case 403 ->
                    url + " forbids this request (403: " + message
                            + "); bind the ClusterRole policy-scheduler-viewer to the user of --token-file";
                default -> url + " responds with " + code + ": " + message;
            };
        }

        private OkHttpClient client() {
            OkHttpClient client = new OkHttpClient.Builder()
                    .followRedirects(false)
                    .callTimeout(PATIENCE)
                    .build();
            if (authorities != null || insecure) {
                try {
                    return new ClientTls(authorities == null ? "" : read(authorities), null, !insecure, "")
                            .applyTo(client);
                } catch (IOException e) {
                    throw new InputException("--certificate-authority: " + authorities + ": " + e.getMessage(), e);
                }
            }
            return client;
        }

        private static String read(Path file) {
            try {
                return TextInput.decode(TextInput.read(file));
            } catch (IOException e) {
                throw new InputException("cannot read " + file + ": " + e, e);
            }
        }
    }
}
