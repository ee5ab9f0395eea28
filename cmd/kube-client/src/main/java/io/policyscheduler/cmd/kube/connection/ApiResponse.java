package io.policyscheduler.cmd.kube.connection;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.policyscheduler.cmd.kube.connection.KubeConnection.ServerCalls;
import io.policyscheduler.engine.reader.PodMessages.StatusMessage;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import okhttp3.Call;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/** A complete response of the API server with any status. The body is empty, never null, if there was none. */
public final class ApiResponse {
    private static final int SHORT_TEXT = 200;
    /** A message goes into log lines, conditions, and error lines of commands. */
    private static final int LONG_TEXT = 2000;

    private static final int NOT_FOUND = 404;
    private static final int TOO_MANY_REQUESTS = 429;
    private static final int SERVER_ERROR = 500;
    private static final int UNAVAILABLE = 503;
    /** The wait for a {@code Retry-After} with a time of day, because clocks differ. */
    private static final Duration FALLBACK_WAIT = Duration.ofSeconds(1);

    private static final Duration SHORTEST_WAIT = Duration.ofMillis(100);
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(30);

    private final int code;
    private final byte[] body;
    private final @Nullable Duration retryAfter;

    public ApiResponse(int code, byte[] body) {
        this(code, body, null);
    }

    private ApiResponse(int code, byte[] body, @Nullable Duration retryAfter) {
        this.code = code;
        this.body = body.clone();
        this.retryAfter = retryAfter;
    }

    /** Returns a response with the header {@code Retry-After}; null for none. */
    static ApiResponse of(int code, byte[] body, @Nullable String retryAfter) {
        boolean isBusy = code == TOO_MANY_REQUESTS || code == UNAVAILABLE;
        return new ApiResponse(code, body, isBusy && retryAfter != null ? wait(retryAfter) : null);
    }

    private static Duration wait(String header) {
        Duration delay = FALLBACK_WAIT;
        if (header.strip().matches("[0-9]{1,6}")) {
            delay = Duration.ofSeconds(Long.parseLong(header.strip()));
        }
        if (delay.compareTo(SHORTEST_WAIT) < 0) {
            return SHORTEST_WAIT;
        }
        return delay.compareTo(LONGEST_WAIT) < 0 ? delay : LONGEST_WAIT;
    }

    /** Returns the wait before the request can be repeated (429, 503 with {@code Retry-After}); empty otherwise. */
    public Optional<Duration> retryAfter() {
        return Optional.ofNullable(retryAfter);
    }

    public int code() {
        return code;
    }

    public byte[] body() {
        return body.clone();
    }

    /** Returns true for 2xx. */
    public boolean success() {
        return code >= 200 && code < 300;
    }

    public String text() {
        return new String(body, StandardCharsets.UTF_8);
    }

    /**
     * Returns true if the API server itself reports that there is no such object. A proxy or load balancer on the way can respond with 404
     * for other reasons.
     */
    public boolean isNotFound(String name) {
        if (code != NOT_FOUND) {
            return false;
        }
        try {
            JsonNode status = json();
            return status.path("kind").asText().equals("Status")
                    && status.path("reason").asText().equals("NotFound")
                    && status.path("details").path("name").asText().equals(name);
        } catch (IOException e) {
            return false;
        }
    }

    /** Returns true if the result of the request is unknown: a server error, or a 404 that is not from the API server. */
    public boolean isInconclusive(String name) {
        return code >= SERVER_ERROR || (code == NOT_FOUND && !isNotFound(name));
    }

    /** Returns the body as a tree; fails if it is not JSON. */
    public JsonNode json() throws IOException {
        return new ObjectMapper().readTree(body);
    }

    /**
     * Returns the error on one line: the first characters of the {@code message} of a metav1.Status body, else of the body,
     * else the bare status.
     */
    public String message() {
        try {
            JsonNode message = json().path("message");
            if (message.isTextual() && !message.textValue().isEmpty()) {
                return onOneLine(message.textValue(), LONG_TEXT);
            }
        } catch (JacksonException notJson) {
            // proxies and load balancers respond in HTML or plain text: use the raw text
        } catch (IOException impossible) {
            throw new IllegalStateException(impossible);
        }
        String text = onOneLine(text(), SHORT_TEXT);
        return text.isEmpty() ? "HTTP " + code : text;
    }

    private static String onOneLine(String text, int limit) {
        String start = text.substring(0, Math.min(text.length(), 10 * limit));
        String line = start.strip().replaceAll("[\\s\\p{Cntrl}]+", " ");
        return line.length() <= limit ? line : line.substring(0, limit) + "...";
    }

    @Override
    public String toString() {
        return success() ? "HTTP " + code : "HTTP " + code + ": " + message();
    }

    /**
     * A streaming GET (a list page or a watch). One thread opens, reads, and closes it. Any thread can call {@link #cancel()} at any time,
     * which ends a blocked open or read.
     */
    public static final class Stream implements Closeable {
        private static final int ERROR_BODY_LIMIT = 64 * 1024;

        private final Call call;
        private final String name;
        private @Nullable Response response;

        Stream(Call call, String name) {
            this.call = call;
            this.name = name;
        }

        /**
         * Sends the request and waits for the response head.
         *
         * @return the body of a 2xx response
         * @throws ApiIoException for a transport error, or with the status of any other response
         */
        public InputStream open() throws ApiIoException {
            Response answer = ServerCalls.execute(call, name);
            response = answer;
            if (!answer.isSuccessful()) {
                byte[] body;
                try {
                    body = answer.body().byteStream().readNBytes(ERROR_BODY_LIMIT);
                } catch (IOException e) {
                    body = new byte[0];
                }
                ApiResponse failure = ApiResponse.of(answer.code(), body, answer.header("Retry-After"));
                String message = isProtobuf() ? onOneLine(StatusMessage.of(body), LONG_TEXT) : failure.message();
                throw ApiIoException.answered(
                        name + ": HTTP " + failure.code() + ": " + message, failure.code(), failure.retryAfter());
            }
            return answer.body().byteStream();
        }

        /** Returns whether the response is in protobuf; false before the response. */
        public boolean isProtobuf() {
            Response answer = response;
            if (answer == null) {
                return false;
            }
            String type = answer.header("Content-Type");
            return type != null && type.startsWith(KubeConnection.PROTOBUF);
        }

        /** Cancels the request; a blocked reader fails with an IOException. */
        public void cancel() {
            call.cancel();
        }

        @Override
        public void close() {
            // Cancel first, because closing an unfinished body would read the rest of it.
            call.cancel();
            if (response != null) {
                response.close();
            }
        }
    }
}
