package io.policyscheduler.cmd.embedded.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.policyscheduler.cmd.embedded.admission.AccessControl.BearerTokens.IssuedToken;
import io.policyscheduler.cmd.embedded.api.ApiRequest;
import io.policyscheduler.cmd.embedded.api.ApiRequest.Response;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ResourceCatalog;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.api.StatusError;
import io.policyscheduler.cmd.embedded.api.StoredObjects;
import io.policyscheduler.cmd.server.Exchange;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

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
        public Optional<Response> review(ApiRequest request, ApiUser user) {
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
            IssuedToken issued = tokens.issue(namespace, name, Duration.ofSeconds(seconds))
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
                ObjectNode userInfo = status.putObject("user")
                        .put("username", user.get().name())
                        .put("uid", user.get().uid());
                user.get().groups().forEach(userInfo.withArray("groups")::add);
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
            Decision decision = access.decide(user, attributes(spec));
            ObjectNode status = review.putObject("status").put("allowed", decision.allowed());
            if (!decision.reason().isEmpty()) {
                status.put("reason", decision.reason());
            }
            return new Response(201, review);
        }

        private static AccessAttributes attributes(JsonNode spec) {
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

    /**
     * The attributes of a request for authorization (apiserver's RequestInfo).
     *
     * @param verb such as {@code list}
     * @param group API group; empty for the core group
     * @param resource plural name; empty for other paths
     * @param subresource empty for none
     * @param namespace empty at the cluster scope
     * @param name empty for a collection
     * @param path the path if it is not one of a resource; else empty
     */
    public record AccessAttributes(
            String verb,
            String group,
            String resource,
            String subresource,
            String namespace,
            String name,
            String path) {
        private static final Map<String, String> VERBS = ImmutableMap.of(
                "POST", "create", "GET", "get", "HEAD", "get", "PUT", "update", "PATCH", "patch", "DELETE", "delete");
        private static final Set<String> OF_NAMESPACES = Set.of("status", "finalize");
        private static final Pattern ONE_NAME = Pattern.compile("metadata\\.name={1,2}([^,=!]+)");

        /** The attributes of a request. */
        public static AccessAttributes of(ApiRequest request) {
            List<String> parts = request.segments();
            String first = parts.isEmpty() ? "" : parts.get(0);
            int start = first.equals("api") ? 2 : first.equals("apis") ? 3 : Integer.MAX_VALUE;
            if (parts.size() <= start) {
                return ofPath(request.method().toLowerCase(Locale.ROOT), "/" + String.join("/", parts));
            }
            List<String> rest = parts.subList(start, parts.size());
            String namespace = "";
            if (rest.get(0).equals("namespaces") && rest.size() > 1) {
                namespace = rest.get(1);
                if (rest.size() > 2 && !OF_NAMESPACES.contains(rest.get(2))) {
                    rest = rest.subList(2, rest.size());
                }
            }
            String name = rest.size() > 1 ? rest.get(1) : "";
            String verb = VERBS.getOrDefault(request.method(), "");
            if (name.isEmpty() && verb.equals("get")) {
                verb = request.flag("watch") ? "watch" : "list";
                Matcher selected = ONE_NAME.matcher(request.parameter("fieldSelector"));
                name = selected.find() ? selected.group(1) : "";
            } else if (name.isEmpty() && verb.equals("delete")) {
                verb = "deletecollection";
            }
            return new AccessAttributes(
                    verb,
                    start == 2 ? "" : parts.get(1),
                    rest.get(0),
                    rest.size() > 2 ? rest.get(2) : "",
                    namespace,
                    name,
                    "");
        }

        /** The attributes of a path that is not a resource. */
        public static AccessAttributes ofPath(String verb, String path) {
            return new AccessAttributes(verb, "", "", "", "", "", path);
        }

        boolean isResource() {
            return !resource.isEmpty();
        }

        /** The resource with its subresource, in the syntax of RBAC rules. */
        String fullResource() {
            return subresource.isEmpty() ? resource : resource + "/" + subresource;
        }

        /** The error for a denied request, as from a real server. */
        public StatusError refusal(ApiUser user, String reason) {
            String text = "User \"" + user.name() + "\" cannot " + verb;
            if (isResource()) {
                text += " resource \"" + fullResource() + "\" in API group \"" + group + "\""
                        + (namespace.isEmpty() ? " at the cluster scope" : " in the namespace \"" + namespace + "\"");
            } else {
                text += " path \"" + path + "\"";
            }
            return StatusError.forbidden(group, resource, name, reason.isEmpty() ? text : text + ": " + reason);
        }
    }

    /**
     * The tokens that the server has issued. They are opaque, and valid until they expire, or until the server or the service account
     * is gone. Thread-safe.
     */
    public static final class BearerTokens {
        private static final int BYTES = 32;

        private final StoredObjects store;
        private final ResourceType accounts;
        private final Clock clock;
        private final SecureRandom random = new SecureRandom();
        private final String admin = newToken();
        private final Map<String, ServiceAccountToken> serviceAccountTokens = new ConcurrentHashMap<>();

        private record ServiceAccountToken(String namespace, String name, String uid, Instant expiry) {}

        /**
         * A token for a client.
         *
         * @param expiry end of validity
         */
        public record IssuedToken(String token, Instant expiry) {}

        /** Tokens of the service accounts in a store. */
        public BearerTokens(StoredObjects store, ResourceCatalog catalog, Clock clock) {
            this.store = store;
            this.accounts = catalog.named("serviceaccounts");
            this.clock = clock;
        }

        private String newToken() {
            byte[] bytes = new byte[BYTES];
            random.nextBytes(bytes);
            return HexFormat.of().formatHex(bytes);
        }

        /** The token of {@link ApiUser#ADMIN}. */
        public String admin() {
            return admin;
        }

        /** A new token of a service account; empty if the account does not exist. */
        public Optional<IssuedToken> issue(String namespace, String name, Duration lifetime) {
            return uid(namespace, name).map(uid -> {
                IssuedToken issued = new IssuedToken(newToken(), clock.instant().plus(lifetime));
                serviceAccountTokens.put(
                        issued.token(), new ServiceAccountToken(namespace, name, uid, issued.expiry()));
                return issued;
            });
        }

        private Optional<String> uid(String namespace, String name) {
            Optional<ObjectNode> account = store.get(accounts, namespace, name);
            return account.map(found -> Json.text(found, "metadata", "uid"));
        }

        /** The user of a token; empty if it is invalid. */
        public Optional<ApiUser> user(String token) {
            if (token.equals(admin)) {
                return Optional.of(ApiUser.ADMIN);
            }
            ServiceAccountToken found = serviceAccountTokens.get(token);
            if (found == null
                    || !clock.instant().isBefore(found.expiry())
                    || !uid(found.namespace(), found.name()).equals(Optional.of(found.uid()))) {
                return Optional.empty();
            }
            return Optional.of(ApiUser.serviceAccount(found.namespace(), found.name(), found.uid()));
        }
    }
}
