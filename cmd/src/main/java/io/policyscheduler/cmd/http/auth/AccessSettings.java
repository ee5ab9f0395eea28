package io.policyscheduler.cmd.http.auth;

import com.google.common.collect.ImmutableList;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Who may ask, as the flags of kube-scheduler say it.
 *
 * @param clientAuthorities file with those that sign clients' certificates; null for those that the cluster names
 * @param proxyAuthorities file with those that sign proxies' certificates; null for those that the cluster names
 * @param proxyHeaders what proxies send, where they have an authorities' file
 * @param lookup whether ConfigMap {@code kube-system/extension-apiserver-authentication} is read
 * @param tolerant whether a lookup that fails is a warning only
 * @param tokenTtl how long it is believed whose a token is
 * @param allowedTtl how long it is believed that somebody may
 * @param deniedTtl how long it is believed that somebody may not
 * @param openPaths what everybody may ask, exactly or, with a star at the end, from there on
 */
public record AccessSettings(
        @Nullable Path clientAuthorities,
        @Nullable Path proxyAuthorities,
        ProxyHeaders proxyHeaders,
        boolean lookup,
        boolean tolerant,
        Duration tokenTtl,
        Duration allowedTtl,
        Duration deniedTtl,
        List<String> openPaths) {
    private static final Duration TTL = Duration.ofSeconds(10);

    /** The defaults of kube-scheduler's flags; health is open to all. */
    public static final AccessSettings DEFAULTS = new AccessSettings(
            null, null, ProxyHeaders.DEFAULTS, true, true, TTL, TTL, TTL, List.of("/healthz", "/readyz", "/livez"));

    public AccessSettings {
        openPaths = ImmutableList.copyOf(openPaths);
    }

    /** True for a path that everybody may ask. */
    boolean isOpen(String path) {
        String bare = withoutSlash(path);
        return openPaths.stream()
                .anyMatch(open -> open.endsWith("*")
                        ? bare.startsWith(withoutSlash(open.substring(0, open.length() - 1)))
                        : bare.equals(withoutSlash(open)));
    }

    private static String withoutSlash(String path) {
        return path.startsWith("/") ? path.substring(1) : path;
    }
}
