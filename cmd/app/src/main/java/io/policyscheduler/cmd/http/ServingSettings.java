package io.policyscheduler.cmd.http;

import com.google.common.collect.ImmutableList;
import io.policyscheduler.cmd.server.TlsContext;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is served where, and to whom. Mirrors {@code SecureServingOptionsWithLoopback}, {@code DelegatingAuthenticationOptions} and
 * {@code DelegatingAuthorizationOptions} of {@code k8s.io/apiserver/pkg/server/options}.
 *
 * @param insecure address and port of plain HTTP, null for none
 * @param bindAddress IP address of HTTPS
 * @param securePort port of HTTPS, 0 for none
 * @param tls certificates and protocols of HTTPS
 * @param authentication who asks
 * @param authorization who may ask
 */
public record ServingSettings(
        @Nullable InetSocketAddress insecure,
        String bindAddress,
        int securePort,
        TlsContext.Settings tls,
        Authentication authentication,
        Authorization authorization) {
    /**
     * Who asks.
     *
     * @param clientCaFile CAs of client certificates, PEM; null for none
     * @param kubeconfig how to have tokens reviewed; null for the service account of the pod, where there is one
     * @param skipLookup do not read the ConfigMap {@code kube-system/extension-apiserver-authentication}
     * @param tolerateLookupFailure start although it cannot be read
     * @param tokenTtl how long an answer about a token is kept
     * @param requestHeader proxies that say for whom they ask
     */
    public record Authentication(
            @Nullable Path clientCaFile,
            @Nullable Path kubeconfig,
            boolean skipLookup,
            boolean tolerateLookupFailure,
            Duration tokenTtl,
            RequestHeader requestHeader) {}

    /**
     * Proxies that say in headers for whom they ask.
     *
     * @param clientCaFile CAs of their certificates, PEM; null for no such proxies
     * @param allowedNames common names that they may have; empty for any
     */
    public record RequestHeader(
            @Nullable Path clientCaFile,
            List<String> allowedNames,
            List<String> usernameHeaders,
            List<String> uidHeaders,
            List<String> groupHeaders,
            List<String> extraHeaderPrefixes) {
        public RequestHeader {
            allowedNames = ImmutableList.copyOf(allowedNames);
            usernameHeaders = ImmutableList.copyOf(usernameHeaders);
            uidHeaders = ImmutableList.copyOf(uidHeaders);
            groupHeaders = ImmutableList.copyOf(groupHeaders);
            extraHeaderPrefixes = ImmutableList.copyOf(extraHeaderPrefixes);
        }
    }

    /**
     * Who may ask.
     *
     * @param kubeconfig how to have access reviewed; null for the service account of the pod, where there is one
     * @param alwaysAllowPaths paths for everybody; one with {@code *} at its end stands for all below
     * @param authorizedTtl how long a yes is kept
     * @param unauthorizedTtl how long a no is kept
     */
    public record Authorization(
            @Nullable Path kubeconfig,
            List<String> alwaysAllowPaths,
            Duration authorizedTtl,
            Duration unauthorizedTtl) {
        public Authorization {
            alwaysAllowPaths = ImmutableList.copyOf(alwaysAllowPaths);
        }

        /** True for a path that everybody may ask. */
        public boolean isOpen(String path) {
            String bare = withoutSlash(path);
            return alwaysAllowPaths.stream()
                    .anyMatch(open -> open.endsWith("*")
                            ? bare.startsWith(withoutSlash(open.substring(0, open.length() - 1)))
                            : bare.equals(withoutSlash(open)));
        }

        private static String withoutSlash(String path) {
            return path.startsWith("/") ? path.substring(1) : path;
        }
    }
}
