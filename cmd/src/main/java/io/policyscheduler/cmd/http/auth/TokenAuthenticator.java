package io.policyscheduler.cmd.http.auth;

import com.google.common.base.Ticker;
import com.google.common.hash.HashCode;
import com.google.common.hash.Hashing;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;

/** Asks the API server whose a bearer token is. Tokens are kept as hashes only. */
final class TokenAuthenticator implements Authenticator {
    /** @param identity empty when the token is nobody's */
    private record Found(Optional<Identity> identity, String error) {}

    private final Reviews reviews;
    private final Outcomes<HashCode, Found> outcomes;

    TokenAuthenticator(Reviews reviews, Duration ttl, Ticker ticker) {
        this.reviews = reviews;
        this.outcomes = new Outcomes<>(ttl, ttl, found -> found.identity().isPresent(), ticker);
    }

    @Override
    public Optional<Identity> identify(AccessRequest request) throws AuthenticationException {
        String token = request.token();
        if (token.isEmpty()) {
            return Optional.empty();
        }
        Found found;
        try {
            found = outcomes.get(Hashing.sha256().hashString(token, StandardCharsets.UTF_8), () -> ask(token));
        } catch (IOException e) {
            throw new AuthenticationException("the token review failed: " + e.getMessage(), e);
        }
        if (found.identity().isEmpty()) {
            throw new AuthenticationException(found.error());
        }
        return found.identity();
    }

    private Found ask(String token) throws IOException {
        try {
            return new Found(Optional.of(reviews.token(token)), "");
        } catch (AuthenticationException e) {
            return new Found(Optional.empty(), String.valueOf(e.getMessage()));
        }
    }
}
