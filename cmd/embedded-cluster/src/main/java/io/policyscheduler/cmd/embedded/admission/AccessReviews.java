package io.policyscheduler.cmd.embedded.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import io.policyscheduler.cmd.embedded.admission.AccessControl.ApiUser;
import io.policyscheduler.cmd.embedded.admission.AccessControl.Decision;
import io.policyscheduler.cmd.embedded.admission.BearerTokens.Issued;
import io.policyscheduler.cmd.embedded.api.ApiRequest;
import io.policyscheduler.cmd.embedded.api.ApiRequest.Response;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.api.StatusError;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The questions that are asked by a POST and answered in the status of what was sent: TokenRequest, TokenReview and the access
 * reviews. Nothing of them is stored.
 */
public final class AccessReviews {
    private static final Duration USUAL_LIFETIME = Duration.ofHours(1);

    private final BearerTokens tokens;
    private final AccessControl access;
    private final ResourceType accounts;

    /** @param accounts the kind ServiceAccount */
    public AccessReviews(BearerTokens tokens, AccessControl access, ResourceType accounts) {
        this.tokens = tokens;
        this.access = access;
        this.accounts = accounts;
    }

    /** The answer to such a question; empty when the path is of something else. */
    public Optional<Response> answer(ApiRequest request, ApiUser user) {
        if (!request.method().equals("POST")) {
            return Optional.empty();
        }
        List<String> path = request.segments();
        if (path.size() == 7
                && path.subList(0, 3).equals(List.of("api", "v1", "namespaces"))
                && path.get(4).equals("serviceaccounts")
                && path.get(6).equals("token")) {
            return Optional.of(token(path.get(3), path.get(5), request));
        }
        return switch (String.join("/", path)) {
            case "apis/authentication.k8s.io/v1/tokenreviews" -> Optional.of(tokenReview(request));
            case "apis/authorization.k8s.io/v1/subjectaccessreviews" -> {
                ObjectNode review = request.bodyObject();
                yield Optional.of(accessReview(review, subject(review.path("spec"))));
            }
            case "apis/authorization.k8s.io/v1/selfsubjectaccessreviews" ->
                Optional.of(accessReview(request.bodyObject(), user));
            default -> Optional.empty();
        };
    }

    private Response token(String namespace, String name, ApiRequest request) {
        ObjectNode body = request.bodyObject();
        long seconds = body.path("spec").path("expirationSeconds").asLong(USUAL_LIFETIME.toSeconds());
        Issued issued = tokens.issue(namespace, name, Duration.ofSeconds(seconds))
                .orElseThrow(() -> StatusError.notFound(accounts, name));
        body.putObject("status").put("token", issued.token()).put("expirationTimestamp", Json.time(issued.expiry()));
        return new Response(201, body);
    }

    private Response tokenReview(ApiRequest request) {
        ObjectNode review = request.bodyObject();
        Optional<ApiUser> user = tokens.user(review.path("spec").path("token").asText());
        ObjectNode status = review.putObject("status");
        if (user.isEmpty()) {
            status.put("error", "invalid bearer token");
            status.putObject("user");
        } else {
            status.put("authenticated", true);
            ObjectNode told = status.putObject("user")
                    .put("username", user.get().name())
                    .put("uid", user.get().uid());
            user.get().groups().forEach(told.withArray("groups")::add);
        }
        return new Response(201, review);
    }

    private static ApiUser subject(JsonNode spec) {
        ImmutableList.Builder<String> groups = ImmutableList.builder();
        spec.path("groups").forEach(group -> groups.add(group.asText()));
        return new ApiUser(Json.text(spec, "user"), Json.text(spec, "uid"), groups.build());
    }

    private Response accessReview(ObjectNode review, ApiUser user) {
        JsonNode spec = review.path("spec");
        Decision decision = access.decide(user, question(spec));
        ObjectNode status = review.putObject("status").put("allowed", decision.allowed());
        if (!decision.reason().isEmpty()) {
            status.put("reason", decision.reason());
        }
        return new Response(201, review);
    }

    private static AccessAttributes question(JsonNode spec) {
        JsonNode resource = spec.path("resourceAttributes");
        JsonNode path = spec.path("nonResourceAttributes");
        if (resource.isMissingNode()) {
            return AccessAttributes.ofPath(Json.text(path, "verb"), Json.text(path, "path"));
        }
        return new AccessAttributes(
                Json.text(resource, "verb"),
                Json.text(resource, "group"),
                Json.text(resource, "resource"),
                Json.text(resource, "subresource"),
                Json.text(resource, "namespace"),
                Json.text(resource, "name"),
                "");
    }
}
