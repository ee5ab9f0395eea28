package io.policyscheduler.cmd.kube.access;

import io.kubernetes.client.util.KubeConfig;
import io.policyscheduler.cmd.kube.ApiIoException;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Tokens of a kubeconfig's {@code auth-provider} (oidc, gcp, azure), asked for again every five minutes and after a refusal. */
final class AuthProvider implements Credentials {
    private static final long PERIOD = Duration.ofMinutes(5).toNanos();

    private final KubeConfig config;
    private final LongSupplier nanos;
    private @Nullable String token;
    private long askedAt;

    /** @param nanos such as {@link System#nanoTime} */
    AuthProvider(KubeConfig config, LongSupplier nanos) {
        this.config = config;
        this.nanos = nanos;
    }

    @Override
    public synchronized String authorization() throws IOException {
        if (token == null || nanos.getAsLong() - askedAt >= PERIOD) {
            token = ask();
            askedAt = nanos.getAsLong();
        }
        return "Bearer " + token;
    }

    private String ask() throws IOException {
        @Nullable Map<String, String> credentials;
        try {
            credentials = config.getCredentials();
        } catch (RuntimeException e) {
            throw new IOException("auth-provider: " + ApiIoException.describe(e), e);
        }
        String found = credentials == null ? null : credentials.get(KubeConfig.CRED_TOKEN_KEY);
        if (found == null || found.isEmpty()) {
            throw new IOException("auth-provider: returned no token");
        }
        return found;
    }

    @Override
    public synchronized void refused(String authorization) {
        if (authorization.equals("Bearer " + token)) {
            token = null;
        }
    }
}
