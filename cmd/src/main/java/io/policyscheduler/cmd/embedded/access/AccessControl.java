package io.policyscheduler.cmd.embedded.access;

import io.policyscheduler.cmd.embedded.api.ResourceCatalog;
import io.policyscheduler.cmd.embedded.api.StatusError;
import io.policyscheduler.cmd.embedded.store.StoredObjects;
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

    private static AccessQuestion impersonation(String resource, String name) {
        return new AccessQuestion("impersonate", "", resource, "", "", name, "");
    }

    private void require(ApiUser user, AccessQuestion question) {
        AccessDecision decision = decide(user, question);
        if (!decision.allowed()) {
            throw refusal(user, question, decision);
        }
    }

    /** Whether somebody may. */
    public AccessDecision decide(ApiUser user, AccessQuestion question) {
        return mode == AuthorizationMode.ALWAYS_ALLOW ? AccessDecision.allowed("") : roles.decide(user, question);
    }

    /** What is answered to somebody who may not. */
    public StatusError refusal(ApiUser user, AccessQuestion question, AccessDecision decision) {
        return question.refusal(user, decision.reason());
    }
}
