package io.policyscheduler.cmd.kube.access;

import java.net.ProxySelector;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How to reach an API server, as configured.
 *
 * @param server base URL, without a trailing slash
 * @param tls what to trust, and which certificate to show
 * @param proxies which proxy to take; null for those of the Java machine's own properties
 * @param credentials who the client is
 * @param headers more headers of every request, such as those of impersonation; a name may have several values
 */
public record ClusterAccess(
        String server,
        TlsFiles tls,
        @Nullable ProxySelector proxies,
        Credentials credentials,
        Map<String, List<String>> headers) {
    public ClusterAccess {
        while (server.endsWith("/")) {
            server = server.substring(0, server.length() - 1);
        }
        headers = Map.copyOf(headers);
    }

    /**
     * What TLS is made of.
     *
     * @param authorities nothing for those that the Java machine trusts
     * @param verify whether the server's certificate is verified at all
     * @param serverName the name to verify and to ask for; empty for that of the URL
     */
    public record TlsFiles(
            PemSource authorities, PemSource certificate, PemSource key, boolean verify, String serverName) {
        public static final TlsFiles STANDARD =
                new TlsFiles(PemSource.NOTHING, PemSource.NOTHING, PemSource.NOTHING, true, "");
    }

    public boolean usesTls() {
        return server.startsWith("https://");
    }
}
