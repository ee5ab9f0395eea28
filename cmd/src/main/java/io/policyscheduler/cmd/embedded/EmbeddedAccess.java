package io.policyscheduler.cmd.embedded;

import io.policyscheduler.cmd.embedded.admission.AccessControl;
import io.policyscheduler.cmd.embedded.admission.AccessControl.AuthorizationMode;
import io.policyscheduler.cmd.embedded.admission.AccessReviews;
import io.policyscheduler.cmd.embedded.admission.BearerTokens;
import io.policyscheduler.cmd.embedded.api.ResourceCatalog;
import io.policyscheduler.cmd.embedded.store.StoredObjects;
import io.policyscheduler.cmd.http.tls.SelfSigned.Own;
import io.policyscheduler.cmd.server.WebServer.Tls;
import java.io.IOException;
import java.time.Clock;
import org.jspecify.annotations.Nullable;

/** How a server is reached: openly by everybody, or over HTTPS by those who have a token. */
final class EmbeddedAccess {
    private final BearerTokens tokens;
    private final AccessControl control;
    private final AccessReviews reviews;
    private final @Nullable Own certificate;

    EmbeddedAccess(AuthorizationMode mode, StoredObjects store, ResourceCatalog catalog, Clock clock)
            throws IOException {
        this.tokens = new BearerTokens(store, catalog, clock);
        this.control = new AccessControl(mode, tokens, store, catalog);
        this.reviews = new AccessReviews(tokens, control, catalog.named("serviceaccounts"));
        this.certificate = mode == AuthorizationMode.RBAC ? Own.create(clock) : null;
    }

    AccessControl control() {
        return control;
    }

    AccessReviews reviews() {
        return reviews;
    }

    /** Null for plain HTTP. */
    @Nullable
    Tls tls() {
        return certificate == null ? null : certificate.tls();
    }

    /** The address of a port. */
    String url(int port) {
        return (certificate == null ? "http" : "https") + "://127.0.0.1:" + port;
    }

    /** A kubeconfig, where roles count that of an administrator. */
    String kubeconfig(int port) {
        return certificate == null
                ? EmbeddedKubeconfig.text(url(port))
                : EmbeddedKubeconfig.text(url(port), certificate.pem(), tokens.admin());
    }
}
