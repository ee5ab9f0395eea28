package io.policyscheduler.cmd.extender;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.policyscheduler.engine.cluster.VisibleText;
import io.policyscheduler.framework.extender.ExtenderException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import okhttp3.Credentials;
import okhttp3.HttpUrl;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okio.BufferedSink;

/** Sends one extender's calls and gives the answers as JSON; errors in the words of v1.17. Thread-safe. */
final class ExtenderEndpoint {
    private static final MediaType JSON = MediaType.get("application/json");
    private static final int OK = 200;

    private final OkHttpClient http;
    private final String prefix;
    private final ObjectMapper mapper = new ObjectMapper();

    ExtenderEndpoint(OkHttpClient http, String urlPrefix) {
        this.http = http;
        this.prefix = urlPrefix.replaceFirst("/+$", "");
    }

    /** POSTs a body to a verb and reads the first JSON value of the answer; a literal null is a null node. */
    JsonNode post(String verb, byte[] body) throws ExtenderException {
        HttpUrl parsed = HttpUrl.parse(prefix + "/" + verb);
        String url = VisibleText.withoutPasswords(prefix + "/" + verb);
        if (parsed == null) {
            throw ExtenderException.broken("Post \"" + url + "\": unsupported protocol scheme or malformed URL");
        }
        Request.Builder request = new Request.Builder().url(parsed).post(new OneShot(body));
        if (!parsed.username().isEmpty() || !parsed.password().isEmpty()) {
            request.header("Authorization", Credentials.basic(parsed.username(), parsed.password()));
        }
        try (Response response = http.newCall(request.build()).execute()) {
            if (response.code() != OK) {
                throw ExtenderException.broken(
                        "Failed " + verb + " with extender at URL " + url + ", code " + response.code());
            }
            return read(response.body().byteStream());
        } catch (JacksonException e) {
            throw ExtenderException.broken(
                    e.getOriginalMessage().lines().findFirst().orElse("malformed JSON"));
        } catch (IOException e) {
            throw ExtenderException.broken("Post \"" + url + "\": " + reason(e, parsed));
        }
    }

    private JsonNode read(InputStream in) throws IOException, ExtenderException {
        try (JsonParser parser = mapper.createParser(in)) {
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

    /** Never sent twice over a connection that breaks: a bind must not be repeated. */
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
