package io.policyscheduler.cmd.kube;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** A complete answer of the API server, whatever its status. The body is empty, never null, when there was none. */
public final class ApiResponse {
    private static final int SHORT_TEXT = 200;

    private final int code;
    private final byte[] body;

    public ApiResponse(int code, byte[] body) {
        this.code = code;
        this.body = body.clone();
    }

    public int code() {
        return code;
    }

    public byte[] body() {
        return body.clone();
    }

    /** True for 2xx. */
    public boolean success() {
        return code >= 200 && code < 300;
    }

    public String text() {
        return new String(body, StandardCharsets.UTF_8);
    }

    /** The body as a tree; fails when it is not JSON. */
    public JsonNode json() throws IOException {
        return new ObjectMapper().readTree(body);
    }

    /**
     * What went wrong, on one line: the {@code message} of a metav1.Status body, else the first characters of the body,
     * else the bare status.
     */
    public String message() {
        try {
            JsonNode message = json().path("message");
            if (message.isTextual() && !message.textValue().isEmpty()) {
                return message.textValue();
            }
        } catch (JacksonException notJson) {
            // proxies and load balancers answer in HTML or plain text: fall through to the raw text
        } catch (IOException impossible) {
            throw new IllegalStateException(impossible);
        }
        String text = text().strip().replaceAll("\\s+", " ");
        if (text.isEmpty()) {
            return "HTTP " + code;
        }
        return text.length() <= SHORT_TEXT ? text : text.substring(0, SHORT_TEXT) + "...";
    }

    @Override
    public String toString() {
        return success() ? "HTTP " + code : "HTTP " + code + ": " + message();
    }
}
