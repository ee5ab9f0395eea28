package io.policyscheduler.cmd.embedded.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import io.policyscheduler.cmd.embedded.admission.BearerTokens.Issued;
import io.policyscheduler.cmd.embedded.api.ApiRequest;
import io.policyscheduler.cmd.embedded.api.ApiRequest.Response;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ResourceCatalog;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.api.StatusError;
import io.policyscheduler.cmd.embedded.api.StoredObjects;
import io.policyscheduler.cmd.server.Exchange;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Authenticates and authorizes requests. Thread-safe. */
public final class AccessControl {
    private static final String BEARER = "Bearer ";

    private final AuthorizationMode mode;
    private final BearerTokens tokens;
    private final RoleAuthorizer roles;

    /** Access control with the roles and bindings of a store. */
    public AccessControl(AuthorizationMode mode, BearerTokens tokens, StoredObjects store, ResourceCatalog catalog) {
        this.mode = mode;
        this.tokens = tokens;
        this.roles = new RoleAuthorizer(store, catalog);
    }

    /** The user of a request. Fails with Unauthorized, or with Forbidden if impersonation is not allowed. */
    public ApiUser authenticate(Exchange exchange) {
        if (mode == AuthorizationMode.ALWAYS_ALLOW) {
            return ApiUser.ADMIN;
        }
        String credentials = exchange.header("Authorization");
        ApiUser user = credentials.startsWith(BEARER)
                ? tokens.user(credentials.substring(BEARER.length()).strip()).orElseThrow(StatusError::unauthorized)
                : ApiUser.ANONYMOUS;
        String other = exchange.header("Impersonate-User");
        List<String> groups = exchange.headers("Impersonate-Group");
        if (other.isEmpty()) {
            return user;
        }
        require(user, impersonation("users", other));
        groups.forEach(group -> require(user, impersonation("groups", group)));
        return ApiUser.impersonated(other, groups);
    }

    private static AccessAttributes impersonation(String resource, String name) {
        return new AccessAttributes("impersonate", "", resource, "", "", name, "");
    }

    private void require(ApiUser user, AccessAttributes question) {
        Decision decision = decide(user, question);
        if (!decision.allowed()) {
            throw question.refusal(user, decision.reason());
        }
    }

    /** Whether a user is allowed to send a request. */
    public Decision decide(ApiUser user, AccessAttributes question) {
        return mode == AuthorizationMode.ALWAYS_ALLOW ? Decision.allowed("") : roles.decide(user, question);
    }

    /**
     * The decision about a request.
     *
     * @param allowed whether the request is allowed
     * @param reason the binding that allows it, or errors of bindings, as in audit logs of real servers; empty for none
     */
    public record Decision(boolean allowed, String reason) {
        static Decision allowed(String reason) {
            return new Decision(true, reason);
        }

        static Decision denied(String reason) {
            return new Decision(false, reason);
        }
    }

    /** The modes of kube-apiserver's {@code --authorization-mode}. */
    public enum AuthorizationMode {
        /** All requests are allowed; plain HTTP without authentication. */
        ALWAYS_ALLOW("AlwaysAllow"),
        /** The roles in the cluster apply; HTTPS with tokens. */
        RBAC("RBAC");

        private final String text;

        AuthorizationMode(String text) {
            this.text = text;
        }

        /** The name on the command line. */
        public String text() {
            return text;
        }
    }

    /**
     * The user of a request.
     *
     * @param name for example {@code system:serviceaccount:kube-system:policy-scheduler}
     * @param uid empty for none
     * @param groups those that bindings may name
     */
    public record ApiUser(String name, String uid, List<String> groups) {
        /** The group with all permissions. */
        static final String MASTERS = "system:masters";

        private static final String AUTHENTICATED = "system:authenticated";
        private static final String SERVICE_ACCOUNT = "system:serviceaccount:";

        /** The user of the server's own kubeconfig. */
        public static final ApiUser ADMIN = new ApiUser("admin", "admin", List.of(MASTERS, AUTHENTICATED));

        /** The user of requests without credentials. */
        static final ApiUser ANONYMOUS = new ApiUser("system:anonymous", "", List.of("system:unauthenticated"));

        public ApiUser {
            groups = ImmutableList.copyOf(groups);
        }

        static ApiUser serviceAccount(String namespace, String name, String uid) {
            return new ApiUser(SERVICE_ACCOUNT + namespace + ":" + name, uid, serviceAccountGroups(namespace));
        }

        private static List<String> serviceAccountGroups(String namespace) {
            return List.of("system:serviceaccounts", "system:serviceaccounts:" + namespace, AUTHENTICATED);
        }

        /** The impersonated user. */
        static ApiUser impersonated(String name, List<String> groups) {
            if (name.equals(ANONYMOUS.name())) {
                return ANONYMOUS;
            }
            ImmutableList.Builder<String> all = ImmutableList.builder();
            String[] account = name.startsWith(SERVICE_ACCOUNT)
                    ? name.substring(SERVICE_ACCOUNT.length()).split(":", -1)
                    : new String[0];
            if (groups.isEmpty() && account.length == 2) {
                all.addAll(serviceAccountGroups(account[0]));
            } else {
                all.addAll(groups).add(AUTHENTICATED);
            }
            return new ApiUser(name, "", all.build());
        }
    }

    /** Requests that are not stored but return a result in the status: TokenRequest, TokenReview, and the access reviews. */
    public static final class AccessReviews {
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

        /** The response to such a request; empty for other paths. */
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
            body.putObject("status")
                    .put("token", issued.token())
                    .put("expirationTimestamp", Json.time(issued.expiry()));
            return new Response(201, body);
        }

        private Response tokenReview(ApiRequest request) {
            ObjectNode review = request.bodyObject();
            Optional<ApiUser> user =
                    tokens.user(review.path("spec").path("token").asText());
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
}
