package io.policyscheduler.cmd.http.auth;

import java.util.Optional;

/** One way to show who one is. Thread-safe; may take as long as a call of the API server. */
@FunctionalInterface
interface Authenticator {
    /**
     * Who asks; empty when the request shows nothing of this kind.
     *
     * @throws AuthenticationException when what it shows is not worth anything
     */
    Optional<Identity> identify(AccessRequest request) throws AuthenticationException;
}
