package io.policyscheduler.cmd.extender.client;

import io.policyscheduler.engine.extender.ExtenderConfig;
import java.io.IOException;
import okhttp3.OkHttpClient;

/** Makes the HTTP client of an extender; {@link ExtenderClients#client} in production. */
@FunctionalInterface
public interface ExtenderClientSource {
    /**
     * A client.
     *
     * @param strictV117 trust whom v1.17 trusts
     * @throws IOException when the TLS material cannot be used
     */
    OkHttpClient client(ExtenderConfig config, boolean strictV117) throws IOException;
}
