package io.policyscheduler.cmd.http.tls;

import com.google.common.collect.ImmutableList;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a port is to speak TLS, as the flags of kube-scheduler say it.
 *
 * @param certificate null for one of our own
 * @param folder where one of our own is kept; null for memory only
 * @param named further certificates, presented to clients that ask for their names
 * @param ciphers Go's names of cipher suites; empty for those of the Java machine
 * @param minVersion {@code VersionTLS10} to {@code VersionTLS13}; empty for 1.2
 */
public record TlsSettings(
        @Nullable CertificateFiles certificate,
        @Nullable Path folder,
        List<CertificateFiles> named,
        List<String> ciphers,
        String minVersion) {
    /** A certificate of our own, in memory only. */
    public static final TlsSettings SELF_SIGNED = new TlsSettings(null, null, List.of(), List.of(), "");

    public TlsSettings {
        named = ImmutableList.copyOf(named);
        ciphers = ImmutableList.copyOf(ciphers);
    }
}
