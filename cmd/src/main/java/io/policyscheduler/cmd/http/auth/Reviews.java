package io.policyscheduler.cmd.http.auth;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import io.policyscheduler.cmd.kube.connection.ApiResponse;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Asks an API server who has a token, and what somebody may do. Every call takes as long as the server does. */
final class Reviews {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String TOKENS = "/apis/authentication.k8s.io/v1/tokenreviews";
    private static final String ACCESS = "/apis/authorization.k8s.io/v1/subjectaccessreviews";

    private final KubeConnection connection;

    Reviews(KubeConnection connection) {
        this.connection = connection;
    }

    /**
     * Whose a token is.
     *
     * @throws AuthenticationException when it is nobody's
     * @throws IOException when the server has not said; the message is one line
     */
    Identity token(String token) throws AuthenticationException, IOException {
        ObjectNode review = JSON.createObjectNode()
                .put("apiVersion", "authentication.k8s.io/v1")
                .put("kind", "TokenReview");
        review.putObject("spec").put("token", token);
        JsonNode status = send(TOKENS, review);
        if (!status.path("authenticated").asBoolean()) {
            throw new AuthenticationException(status.path("error").asText("invalid bearer token"));
        }
        JsonNode user = status.path("user");
        return Identity.authenticated(
                user.path("username").asText(),
                user.path("uid").asText(),
                texts(user.path("groups")),
                extra(user.path("extra")));
    }

    /**
     * Whether somebody may.
     *
     * @throws IOException when the server has not said; the message is one line
     */
    boolean access(Identity identity, String verb, String path) throws IOException {
        ObjectNode review = JSON.createObjectNode()
                .put("apiVersion", "authorization.k8s.io/v1")
                .put("kind", "SubjectAccessReview");
        ObjectNode spec = review.putObject("spec").put("user", identity.user());
        spec.putObject("nonResourceAttributes").put("path", path).put("verb", verb);
        if (!identity.uid().isEmpty()) {
            spec.put("uid", identity.uid());
        }
        identity.groups().forEach(spec.withArray("groups")::add);
        ObjectNode extra = spec.putObject("extra");
        identity.extra().forEach((key, values) -> values.forEach(extra.withArray(key)::add));
        return send(ACCESS, review).path("allowed").asBoolean();
    }

    private JsonNode send(String path, ObjectNode review) throws IOException {
        ApiResponse answer = connection.postOnce(path, JSON.writeValueAsBytes(review));
        if (!answer.success()) {
            throw new IOException("POST " + path + ": " + answer.message());
        }
        return answer.json().path("status");
    }

    private static List<String> texts(JsonNode array) {
        ImmutableList.Builder<String> texts = ImmutableList.builder();
        array.forEach(each -> texts.add(each.asText()));
        return texts.build();
    }

    private static Map<String, List<String>> extra(JsonNode object) {
        Map<String, List<String>> extra = new TreeMap<>();
        object.properties().forEach(entry -> extra.put(entry.getKey(), texts(entry.getValue())));
        return extra;
    }
}
