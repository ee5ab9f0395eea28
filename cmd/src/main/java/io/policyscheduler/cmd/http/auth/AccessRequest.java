package io.policyscheduler.cmd.http.auth;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ListMultimap;
import io.policyscheduler.cmd.server.Exchange;
import java.net.URI;
import java.net.URISyntaxException;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Locale;

/**
 * What is known of a request before anybody has been asked.
 *
 * @param verb the HTTP method in lower case
 * @param path decoded, so that no spelling of it means another one
 * @param certificates as {@link Exchange#clientCertificates}
 * @param headers names in lower case
 */
record AccessRequest(
        String verb, String path, List<X509Certificate> certificates, ListMultimap<String, String> headers) {
    private static final String BEARER = "bearer ";

    AccessRequest {
        certificates = ImmutableList.copyOf(certificates);
        headers = ImmutableListMultimap.copyOf(headers);
    }

    static AccessRequest of(Exchange exchange) {
        ImmutableListMultimap.Builder<String, String> headers = ImmutableListMultimap.builder();
        exchange.headerNames().forEach(name -> headers.putAll(name.toLowerCase(Locale.ROOT), exchange.headers(name)));
        return new AccessRequest(
                exchange.method().toLowerCase(Locale.ROOT),
                decoded(exchange.path()),
                exchange.clientCertificates(),
                headers.build());
    }

    private static String decoded(String path) {
        try {
            return new URI(path).getPath();
        } catch (URISyntaxException e) {
            return path;
        }
    }

    /** The bearer token; empty when there is none. */
    String token() {
        String header =
                headers.get("authorization").stream().findFirst().orElse("").strip();
        return header.toLowerCase(Locale.ROOT).startsWith(BEARER)
                ? header.substring(BEARER.length()).strip()
                : "";
    }

    /** True when it shows nothing that would have to be looked into. */
    boolean isAnonymous() {
        return certificates.isEmpty() && token().isEmpty();
    }
}
