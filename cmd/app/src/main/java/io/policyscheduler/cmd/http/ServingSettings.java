package io.policyscheduler.cmd.http;

import com.google.common.collect.ImmutableList;
import io.policyscheduler.cmd.server.TlsContext;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The settings of the status ports. Mirrors {@code SecureServingOptionsWithLoopback}, {@code DelegatingAuthenticationOptions} and
 * {@code DelegatingAuthorizationOptions} of {@code k8s.io/apiserver/pkg/server/options}.
 *
 * @param insecure address and port of plain HTTP; null for none
 * @param bindAddress IP address of HTTPS
 * @param securePort port of HTTPS; 0 for none
 * @param tls certificates and protocols of HTTPS
 * @param authentication how clients are authenticated
 * @param authorization how clients are authorized
 */
public record ServingSettings(
        @Nullable InetSocketAddress insecure,
        String bindAddress,
        int securePort,
        TlsContext.Settings tls,
        Authentication authentication,
        Authorization authorization) {
    /**
     * Settings of authentication.
     *
     * @param clientCaFile CAs of client certificates, PEM; null for none
     * @param kubeconfig connection for TokenReviews; null for the service account of the pod, if there is one
     * @param skipLookup do not read the ConfigMap {@code kube-system/extension-apiserver-authentication}
     * @param tolerateLookupFailure start although it cannot be read
     * @param tokenTtl how long a TokenReview is cached
     * @param requestHeader proxies that authenticate users
     */
    public record Authentication(
            @Nullable Path clientCaFile,
            @Nullable Path kubeconfig,
            boolean skipLookup,
            boolean tolerateLookupFailure,
            Duration tokenTtl,
            RequestHeader requestHeader) {}

    /**
     * Proxies that send the authenticated user in headers.
     *
     * @param clientCaFile CAs of the proxy certificates, PEM; null for no proxies
     * @param allowedNames allowed common names; empty for any
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
     * Settings of authorization.
     *
     * @param kubeconfig connection for SubjectAccessReviews; null for the service account of the pod, if there is one
     * @param alwaysAllowPaths paths without authorization; a final {@code *} matches all paths below
     * @param authorizedTtl how long a positive review is cached
     * @param unauthorizedTtl how long a negative review is cached
     */
    public record Authorization(
            @Nullable Path kubeconfig,
            List<String> alwaysAllowPaths,
            Duration authorizedTtl,
            Duration unauthorizedTtl) {
        public Authorization {
            alwaysAllowPaths = ImmutableList.copyOf(alwaysAllowPaths);
        }

        /** Whether a path needs no authorization. */
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
