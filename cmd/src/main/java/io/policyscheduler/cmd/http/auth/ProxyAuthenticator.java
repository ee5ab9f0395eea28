package io.policyscheduler.cmd.http.auth;

import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.Multimaps;
import io.policyscheduler.cmd.http.ServingSettings;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Believes a proxy that shows its certificate. Mirrors {@code headerrequest} of {@code k8s.io/apiserver}. */
final class ProxyAuthenticator implements Authenticator {
    private final ClientAuthorities authorities;
    private final ServingSettings.RequestHeader names;
    private final Clock clock;

    ProxyAuthenticator(ClientAuthorities authorities, ServingSettings.RequestHeader names, Clock clock) {
        this.authorities = authorities;
        this.names = names;
        this.clock = clock;
    }

    @Override
    public Optional<Identity> identify(AccessRequest request) throws AuthenticationException {
        if (request.certificates().isEmpty()) {
            return Optional.empty();
        }
        authorities.verify(request.certificates(), clock.instant());
        String proxy = CertificateAuthenticator.name(request.certificates().get(0));
        if (!names.allowedNames().isEmpty() && !names.allowedNames().contains(proxy)) {
            throw new AuthenticationException("x509: subject with cn=" + proxy + " is not in the allowed list");
        }
        Optional<String> user = first(names.usernameHeaders(), request);
        List<String> groups = names.groupHeaders().stream()
                .flatMap(name -> request.headers().get(lower(name)).stream())
                .toList();
        return user.map(name -> Identity.authenticated(
                name, first(names.uidHeaders(), request).orElse(""), groups, Multimaps.asMap(extra(request))));
    }

    private static Optional<String> first(List<String> names, AccessRequest request) {
        return names.stream()
                .flatMap(name -> request.headers().get(lower(name)).stream())
                .filter(value -> !value.isEmpty())
                .findFirst();
    }

    private ImmutableListMultimap<String, String> extra(AccessRequest request) {
        ImmutableListMultimap.Builder<String, String> extra = ImmutableListMultimap.builder();
        request.headers()
                .forEach((name, value) -> names.extraHeaderPrefixes().stream()
                        .map(ProxyAuthenticator::lower)
                        .filter(name::startsWith)
                        .forEach(prefix -> extra.put(decoded(name.substring(prefix.length())), value)));
        return extra.build();
    }

    private static String decoded(String key) {
        try {
            return URLDecoder.decode(key.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return key;
        }
    }

    private static String lower(String name) {
        return name.toLowerCase(Locale.ROOT);
    }
}
