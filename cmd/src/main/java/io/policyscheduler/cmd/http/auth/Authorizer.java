package io.policyscheduler.cmd.http.auth;

import com.google.common.base.Ticker;
import io.policyscheduler.cmd.http.ServingSettings;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Whether somebody may ask for a path. Thread-safe; may take as long as a call of the API server. */
final class Authorizer {
    private record Question(Identity identity, String verb, String path) {}

    private final ServingSettings.Authorization settings;
    private final @Nullable Reviews reviews;
    private final Outcomes<Question, Boolean> outcomes;

    /** @param reviews null when there is no API server to ask; then only masters may, and everybody what is open to all */
    Authorizer(ServingSettings.Authorization settings, @Nullable Reviews reviews, Ticker ticker) {
        this.settings = settings;
        this.reviews = reviews;
        this.outcomes =
                new Outcomes<>(settings.authorizedTtl(), settings.unauthorizedTtl(), allowed -> allowed, ticker);
    }

    /** @throws IOException when the API server has not said; the message is one line */
    boolean allows(Identity identity, AccessRequest request) throws IOException {
        if (identity.groups().contains(Identity.MASTERS) || settings.isOpen(request.path())) {
            return true;
        }
        Reviews asked = reviews;
        return asked != null
                && outcomes.get(
                        new Question(identity, request.verb(), request.path()),
                        () -> asked.access(identity, request.verb(), request.path()));
    }
}
