package io.policyscheduler.cmd.http.tls;

import com.google.common.collect.ImmutableList;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import java.util.Locale;

/** Host names and {@code *.example.org}, where the star stands for one label. */
final class HostPatterns {
    private static final int DNS_NAME = 2;

    private HostPatterns() {}

    /** The DNS names of a certificate. */
    static List<String> of(X509Certificate certificate) {
        ImmutableList.Builder<String> names = ImmutableList.builder();
        try {
            Collection<List<?>> alternatives = certificate.getSubjectAlternativeNames();
            if (alternatives != null) {
                alternatives.stream()
                        .filter(name -> Integer.valueOf(DNS_NAME).equals(name.get(0)))
                        .forEach(name -> names.add(String.valueOf(name.get(1))));
            }
        } catch (CertificateParsingException e) {
            return List.of();
        }
        return names.build();
    }

    static boolean anyMatches(Collection<String> patterns, String host) {
        String wanted = host.toLowerCase(Locale.ROOT);
        String parent = "*" + wanted.substring(Math.max(wanted.indexOf('.'), 0));
        return patterns.stream()
                .map(pattern -> pattern.toLowerCase(Locale.ROOT))
                .anyMatch(pattern -> pattern.equals(wanted) || (wanted.contains(".") && pattern.equals(parent)));
    }
}
