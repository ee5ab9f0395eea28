package io.policyscheduler.cmd.embedded.admission;

import com.google.common.collect.ImmutableList;
import io.policyscheduler.cmd.embedded.api.ResourceCatalog;
import io.policyscheduler.cmd.embedded.api.StatusError;
import io.policyscheduler.cmd.embedded.api.StoredObjects;
import io.policyscheduler.cmd.server.Exchange;
import java.util.List;

/** Finds out who sends a request and whether they may. Thread-safe. */
public final class AccessControl {
    private static final String BEARER = "Bearer ";

    private final AuthorizationMode mode;
    private final BearerTokens tokens;
    private final RoleAuthorizer roles;

    /** Over the roles and bindings of a store. */
    public AccessControl(AuthorizationMode mode, BearerTokens tokens, StoredObjects store, ResourceCatalog catalog) {
        this.mode = mode;
        this.tokens = tokens;
        this.roles = new RoleAuthorizer(store, catalog);
    }

    /** Who sends a request. Fails with Unauthorized, or with Forbidden for those who may not act as somebody else. */
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

    /** Whether somebody may. */
    public Decision decide(ApiUser user, AccessAttributes question) {
        return mode == AuthorizationMode.ALWAYS_ALLOW ? Decision.allowed("") : roles.decide(user, question);
    }

    /**
     * Whether a user may.
     *
     * @param allowed whether the request goes on
     * @param reason which binding allows it, or what went wrong with those that might, as audit logs of real servers tell it; empty
     *     when there is nothing to tell
     */
    public record Decision(boolean allowed, String reason) {
        static Decision allowed(String reason) {
            return new Decision(true, reason);
        }

        static Decision denied(String reason) {
            return new Decision(false, reason);
        }
    }

    /** Who may do what, as kube-apiserver's {@code --authorization-mode}. */
    public enum AuthorizationMode {
        /** Everybody everything; over plain HTTP, and nobody is asked for credentials. */
        ALWAYS_ALLOW("AlwaysAllow"),
        /** What the roles in the cluster grant; over HTTPS, with tokens. */
        RBAC("RBAC");

        private final String text;

        AuthorizationMode(String text) {
            this.text = text;
        }

        /** As on the command line. */
        public String text() {
            return text;
        }
    }

    /**
     * Who sends a request.
     *
     * @param name for example {@code system:serviceaccount:kube-system:policy-scheduler}
     * @param uid empty when there is none
     * @param groups those that bindings may name
     */
    public record ApiUser(String name, String uid, List<String> groups) {
        /** May do everything, whatever roles say. */
        static final String MASTERS = "system:masters";

        private static final String AUTHENTICATED = "system:authenticated";
        private static final String SERVICE_ACCOUNT = "system:serviceaccount:";

        /** Who has the token of the server's own kubeconfig. */
        public static final ApiUser ADMIN = new ApiUser("admin", "admin", List.of(MASTERS, AUTHENTICATED));

        /** Who sends no credentials. */
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

        /** Who an administrator acts as. */
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
}
