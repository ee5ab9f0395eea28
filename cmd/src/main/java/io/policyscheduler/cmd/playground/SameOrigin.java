package io.policyscheduler.cmd.playground;

import com.google.common.net.HostAndPort;
import com.google.common.net.InetAddresses;
import io.policyscheduler.cmd.server.Exchange;
import java.net.URI;

/**
 * Tells requests of the page itself from those that another site has a browser send. A port of the loopback address is reached by
 * every page that a user of the machine opens, so whoever changes something must have been served from here.
 */
final class SameOrigin {
    /** Browsers ask before they let another site send it, and nobody here says yes. */
    static final String HEADER = "X-Requested-With";

    static final String VALUE = "policy-scheduler";

    private SameOrigin() {}

    /** Why a request is refused; empty when it is not. */
    static String refusal(Exchange exchange) {
        String host = exchange.header("Host");
        if (!isLoopback(host)) {
            // A name of another site that leads here: DNS rebinding.
            return "the page is only available on the loopback address, not on \"" + host + "\"";
        }
        if (!exchange.header(HEADER).equals(VALUE)) {
            return "without the header " + HEADER + ": " + VALUE;
        }
        String site = exchange.header("Sec-Fetch-Site");
        if (!site.isEmpty() && !site.equals("same-origin")) {
            return "sent by another site";
        }
        String origin = exchange.header("Origin");
        if (!origin.isEmpty() && !authority(origin).equals(host)) {
            return "sent by \"" + origin + "\"";
        }
        return "";
    }

    private static boolean isLoopback(String host) {
        try {
            String name = HostAndPort.fromString(host).getHost();
            return name.equals("localhost")
                    || (InetAddresses.isInetAddress(name)
                            && InetAddresses.forString(name).isLoopbackAddress());
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private static String authority(String origin) {
        try {
            String authority = URI.create(origin).getAuthority();
            return authority == null ? "" : authority;
        } catch (IllegalArgumentException e) {
            return "";
        }
    }
}
