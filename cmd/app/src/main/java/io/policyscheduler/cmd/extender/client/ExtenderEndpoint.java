package io.policyscheduler.cmd.extender.client;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.policyscheduler.cmd.kube.connection.KubeConnection.HttpCalls;
import io.policyscheduler.cmd.kube.connection.KubeConnection.ResponseTooLongException;
import io.policyscheduler.engine.cluster.VisibleText;
import io.policyscheduler.framework.cycle.Extender.ExtenderException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.util.concurrent.TimeUnit;
import okhttp3.ConnectionPool;
import okhttp3.Credentials;
import okhttp3.HttpUrl;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okio.BufferedSink;

/** Sends the calls of one extender and returns the responses as JSON, with the error messages of v1.17. Thread-safe. */
final class ExtenderEndpoint {
    /** In bytes. */
    private static final long LEAST_LIMIT = 4L * 1024 * 1024;

    private static final MediaType JSON = MediaType.get("application/json");
    private static final int OK = 200;

    private final OkHttpClient http;
    /** Reuses no connection, because the extender may have closed it. */
    private final OkHttpClient fresh;

    private final String prefix;
    private final ObjectMapper mapper = new ObjectMapper();

    ExtenderEndpoint(OkHttpClient http, String urlPrefix) {
        this.http = http;
        this.fresh = http.newBuilder()
                .connectionPool(new ConnectionPool(0, 1, TimeUnit.SECONDS))
                .build();
        this.prefix = urlPrefix.replaceFirst("/+$", "");
    }

    /**
     * Sends a request, and repeats it over a new connection if the pooled one is closed. Returns the first JSON value of the
     * response; a literal null is a null node.
     */
    JsonNode ask(String verb, byte[] body) throws ExtenderException {
        return post(verb, body, true);
    }

    /** Sends a request that must not be repeated. */
    JsonNode order(String verb, byte[] body) throws ExtenderException {
        return post(verb, body, false);
    }

    private JsonNode post(String verb, byte[] body, boolean repeatable) throws ExtenderException {
        HttpUrl parsed = HttpUrl.parse(prefix + "/" + verb);
        String url = shown(verb);
        if (parsed == null) {
            throw ExtenderException.broken("Post \"" + url + "\": unsupported protocol scheme or malformed URL");
        }
        Request.Builder builder = new Request.Builder().url(parsed).post(new OneShot(body));
        if (!parsed.username().isEmpty() || !parsed.password().isEmpty()) {
            builder.header("Authorization", Credentials.basic(parsed.username(), parsed.password()));
        }
        Request request = builder.build();
        try {
            return repeatable ? twice(request, verb) : send(fresh, request, verb);
        } catch (JacksonException e) {
            throw ExtenderException.broken(
                    e.getOriginalMessage().lines().findFirst().orElse("malformed JSON"));
        } catch (IOException e) {
            throw ExtenderException.broken("Post \"" + url + "\": " + reason(e, parsed));
        }
    }

    /** For messages. */
    private String shown(String verb) {
        return VisibleText.withoutPasswords(prefix + "/" + verb);
    }

    private JsonNode twice(Request request, String verb) throws IOException, ExtenderException {
        try {
            return send(http, request, verb);
        } catch (JacksonException
                | InterruptedIOException
                | ConnectException
                | UnknownHostException
                | ResponseTooLongException e) {
            throw e;
        } catch (IOException e) {
            return send(fresh, request, verb);
        }
    }

    private JsonNode send(OkHttpClient client, Request request, String verb) throws IOException, ExtenderException {
        try (Response response = HttpCalls.execute(client.newCall(request))) {
            if (response.protocol() == Protocol.HTTP_1_0
                    && !"keep-alive".equalsIgnoreCase(response.header("Connection"))) {
                // Such a server closes the connection after its response without a header that announces it.
                client.connectionPool().evictAll();
            }
            if (response.code() != OK) {
                throw ExtenderException.broken(
                        "Failed " + verb + " with extender at URL " + shown(verb) + ", code " + response.code());
            }
            return read(HttpCalls.read(response.body().byteStream(), limit(request)));
        }
    }

    /** A filter response contains at most the nodes of the request, with a reason for each. */
    private static int limit(Request request) throws IOException {
        long sent = request.body() == null ? 0 : request.body().contentLength();
        return (int) Math.min(Integer.MAX_VALUE - 8, LEAST_LIMIT + 2 * sent);
    }

    private JsonNode read(byte[] body) throws IOException, ExtenderException {
        try (JsonParser parser = mapper.createParser(body)) {
            JsonNode answer = mapper.readTree(parser);
            if (answer == null || answer instanceof MissingNode) {
                throw ExtenderException.broken("EOF");
            }
            return answer;
        }
    }

    private static String reason(IOException e, HttpUrl url) {
        if (e instanceof InterruptedIOException) {
            return "context deadline exceeded (Client.Timeout exceeded while awaiting headers)";
        }
        if (e instanceof ConnectException) {
            return "dial tcp " + url.host() + ":" + url.port() + ": connect: connection refused";
        }
        if (e instanceof UnknownHostException) {
            return "dial tcp: lookup " + url.host() + ": no such host";
        }
        return String.valueOf(e.getMessage());
    }

    /** The HTTP client never repeats a request over another connection, because a bind must not be repeated. */
    private static final class OneShot extends RequestBody {
        private final byte[] bytes;

        OneShot(byte[] bytes) {
            this.bytes = bytes;
        }

        @Override
        public MediaType contentType() {
            return JSON;
        }

        @Override
        public long contentLength() {
            return bytes.length;
        }

        @Override
        public boolean isOneShot() {
            return true;
        }

        @Override
        public void writeTo(BufferedSink sink) throws IOException {
            sink.write(bytes);
        }
    }
}
