package io.policyscheduler.cmd.http;

import com.google.common.base.Ticker;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedMap;
import com.google.common.collect.Multimaps;
import com.google.common.hash.HashCode;
import com.google.common.hash.Hashing;
import io.policyscheduler.cmd.http.DelegatedAccess.AccessRequest;
import io.policyscheduler.cmd.http.DelegatedAccess.ReviewCache;
import io.policyscheduler.cmd.http.DelegatedAccess.Reviews;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.bouncycastle.asn1.ASN1ObjectIdentifier;
import org.bouncycastle.asn1.x500.AttributeTypeAndValue;
import org.bouncycastle.asn1.x500.RDN;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x500.style.BCStyle;
import org.bouncycastle.asn1.x500.style.IETFUtils;

/** A method of authentication. Thread-safe; may take as long as a call of the API server. */
@FunctionalInterface
interface Authenticator {
    /**
     * The user of a request; empty if the request has no credentials for this method.
     *
     * @throws FailedException if the credentials are invalid
     */
    Optional<User> identify(AccessRequest request) throws FailedException;

    /** Authenticates a client by its certificate: the common name is the user, organizations are the groups. */
    static final class Certificates implements Authenticator {
        private final ClientAuthorities authorities;
        private final Clock clock;

        Certificates(ClientAuthorities authorities, Clock clock) {
            this.authorities = authorities;
            this.clock = clock;
        }

        @Override
        public Optional<User> identify(AccessRequest request) throws FailedException {
            if (request.certificates().isEmpty()) {
                return Optional.empty();
            }
            authorities.verify(request.certificates(), clock.instant());
            X509Certificate own = request.certificates().get(0);
            String name = name(own);
            return name.isEmpty()
                    ? Optional.empty()
                    : Optional.of(User.authenticated(name, "", values(own, BCStyle.O), Map.of()));
        }

        /** The common name; empty if there is none. */
        static String name(X509Certificate certificate) {
            List<String> names = values(certificate, BCStyle.CN);
            return names.isEmpty() ? "" : names.get(names.size() - 1);
        }

        private static List<String> values(X509Certificate certificate, ASN1ObjectIdentifier type) {
            X500Name subject =
                    X500Name.getInstance(certificate.getSubjectX500Principal().getEncoded());
            ImmutableList.Builder<String> values = ImmutableList.builder();
            for (RDN part : subject.getRDNs()) {
                for (AttributeTypeAndValue attribute : part.getTypesAndValues()) {
                    if (attribute.getType().equals(type)) {
                        values.add(IETFUtils.valueToString(attribute.getValue()));
                    }
                }
            }
            return values.build();
        }
    }

    /**
     * Authenticates users with the headers of a proxy, which has a valid client certificate. Mirrors {@code headerrequest} of
     * {@code k8s.io/apiserver}.
     */
    static final class Proxies implements Authenticator {
        private final ClientAuthorities authorities;
        private final ServingSettings.RequestHeader names;
        private final Clock clock;

        Proxies(ClientAuthorities authorities, ServingSettings.RequestHeader names, Clock clock) {
            this.authorities = authorities;
            this.names = names;
            this.clock = clock;
        }

        @Override
        public Optional<User> identify(AccessRequest request) throws FailedException {
            if (request.certificates().isEmpty()) {
                return Optional.empty();
            }
            authorities.verify(request.certificates(), clock.instant());
            String proxy = Certificates.name(request.certificates().get(0));
            if (!names.allowedNames().isEmpty() && !names.allowedNames().contains(proxy)) {
                throw new FailedException("x509: subject with cn=" + proxy + " is not in the allowed list");
            }
            Optional<String> user = first(names.usernameHeaders(), request);
            List<String> groups = names.groupHeaders().stream()
                    .flatMap(name -> request.headers().get(lower(name)).stream())
                    .toList();
            return user.map(name -> User.authenticated(
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
                            .map(Proxies::lower)
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

    /** Authenticates bearer tokens with TokenReviews of the API server. Only hashes of tokens are cached. */
    static final class Tokens implements Authenticator {
        /** @param identity empty for an invalid token */
        private record Found(Optional<User> identity, String error) {}

        private final Reviews reviews;
        private final ReviewCache<HashCode, Found> outcomes;

        Tokens(Reviews reviews, Duration ttl, Ticker ticker) {
            this.reviews = reviews;
            this.outcomes =
                    new ReviewCache<>(ttl, ttl, found -> found.identity().isPresent(), ticker);
        }

        @Override
        public Optional<User> identify(AccessRequest request) throws FailedException {
            String token = request.token();
            if (token.isEmpty()) {
                return Optional.empty();
            }
            Found found;
            try {
                found = outcomes.get(Hashing.sha256().hashString(token, StandardCharsets.UTF_8), () -> ask(token));
            } catch (IOException e) {
                throw new FailedException("the token review failed: " + e.getMessage(), e);
            }
            if (found.identity().isEmpty()) {
                throw new FailedException(found.error());
            }
            return found.identity();
        }

        private Found ask(String token) throws IOException {
            try {
                return new Found(Optional.of(reviews.token(token)), "");
            } catch (FailedException e) {
                return new Found(Optional.empty(), String.valueOf(e.getMessage()));
            }
        }
    }

    /** Invalid credentials; the message is for the log. */
    static final class FailedException extends Exception {
        private static final long serialVersionUID = 1L;

        FailedException(String message) {
            super(message);
        }

        FailedException(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /**
     * The authenticated user. Mirrors {@code user.Info} of {@code k8s.io/apiserver}.
     *
     * @param uid empty if unknown
     * @param extra additional attributes; never null
     */
    record User(String user, String uid, List<String> groups, Map<String, List<String>> extra) {
        static final String MASTERS = "system:masters";
        private static final String AUTHENTICATED = "system:authenticated";

        /** The user of a request without credentials. */
        static final User ANONYMOUS = new User("system:anonymous", "", List.of("system:unauthenticated"), Map.of());

        public User {
            groups = ImmutableList.copyOf(groups);
            ImmutableSortedMap.Builder<String, List<String>> copy = ImmutableSortedMap.naturalOrder();
            extra.forEach((key, values) -> copy.put(key, ImmutableList.copyOf(values)));
            extra = ImmutableMap.copyOf(copy.build());
        }

        /** An authenticated user, with the group of all authenticated users. */
        static User authenticated(String user, String uid, List<String> groups, Map<String, List<String>> extra) {
            if (groups.contains(AUTHENTICATED) || groups.containsAll(ANONYMOUS.groups())) {
                return new User(user, uid, groups, extra);
            }
            return new User(
                    user,
                    uid,
                    ImmutableList.<String>builder()
                            .addAll(groups)
                            .add(AUTHENTICATED)
                            .build(),
                    extra);
        }
    }
}
