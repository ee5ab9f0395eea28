package io.policyscheduler.cmd.embedded.admission;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.admission.AccessControl.ApiUser;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ResourceCatalog;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.api.StoredObjects;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The tokens that the server has issued. They are opaque, and valid until they expire, or until the server or the service account
 * is gone. Thread-safe.
 */
public final class BearerTokens {
    private static final int BYTES = 32;

    private final StoredObjects store;
    private final ResourceType accounts;
    private final Clock clock;
    private final SecureRandom random = new SecureRandom();
    private final String admin = newToken();
    private final Map<String, ServiceAccountToken> held = new ConcurrentHashMap<>();

    private record ServiceAccountToken(String namespace, String name, String uid, Instant expiry) {}

    /**
     * A token for a client.
     *
     * @param expiry end of validity
     */
    public record Issued(String token, Instant expiry) {}

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
    public Optional<Issued> issue(String namespace, String name, Duration lifetime) {
        return uid(namespace, name).map(uid -> {
            Issued issued = new Issued(newToken(), clock.instant().plus(lifetime));
            held.put(issued.token(), new ServiceAccountToken(namespace, name, uid, issued.expiry()));
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
        ServiceAccountToken found = held.get(token);
        if (found == null
                || !clock.instant().isBefore(found.expiry())
                || !uid(found.namespace(), found.name()).equals(Optional.of(found.uid()))) {
            return Optional.empty();
        }
        return Optional.of(ApiUser.serviceAccount(found.namespace(), found.name(), found.uid()));
    }
}
