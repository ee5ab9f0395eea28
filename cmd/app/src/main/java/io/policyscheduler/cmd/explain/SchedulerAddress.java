package io.policyscheduler.cmd.explain;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.policyscheduler.cmd.kube.connection.ClientTls;
import io.policyscheduler.cmd.kube.connection.KubeConnection.HttpCalls;
import io.policyscheduler.cmd.options.ExitCode.ClusterFailure;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.engine.document.TextInput;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLPeerUnverifiedException;
import okhttp3.HttpUrl;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The status address of a running scheduler, with credentials. */
final class SchedulerAddress {
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
            String body =
                    new String(HttpCalls.read(response.body().byteStream(), LONGEST_ANSWER), StandardCharsets.UTF_8);
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
                return new ClientTls(authorities == null ? "" : read(authorities), null, !insecure, "").applyTo(client);
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
