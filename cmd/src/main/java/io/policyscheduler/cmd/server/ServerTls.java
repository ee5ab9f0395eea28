package io.policyscheduler.cmd.server;

import com.google.common.collect.ImmutableList;
import java.util.List;
import javax.net.ssl.SSLContext;

/**
 * How a server speaks TLS. Clients are asked for a certificate and need not have one; whether it is worth anything is for
 * whoever handles the request to find out.
 *
 * @param protocols names as {@code TLSv1.3}; empty for those that the Java machine offers
 * @param ciphers names as {@code TLS_AES_128_GCM_SHA256}; empty for those that the Java machine offers
 */
public record ServerTls(SSLContext context, List<String> protocols, List<String> ciphers) {
    public ServerTls {
        protocols = ImmutableList.copyOf(protocols);
        ciphers = ImmutableList.copyOf(ciphers);
    }
}
