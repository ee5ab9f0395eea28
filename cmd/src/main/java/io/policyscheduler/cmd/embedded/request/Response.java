package io.policyscheduler.cmd.embedded.request;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * An answer to be sent.
 *
 * @param code HTTP status
 * @param body JSON body, a text node that is sent as plain text, or a binary node that is sent as it is
 */
public record Response(int code, JsonNode body) {
    public static Response ok(JsonNode body) {
        return new Response(200, body);
    }
}
