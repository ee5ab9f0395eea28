package io.policyscheduler.cmd.http;

import com.google.common.net.HostAndPort;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** Addresses to listen on, as written by users. */
public final class ListenAddress {
    private static final String ALL = "0.0.0.0";
    private static final int LAST_PORT = 65_535;

    private ListenAddress() {}

    /**
     * {@code HOST:PORT}, {@code [::]:PORT}, {@code :PORT} for all addresses of the host, or {@code PORT} for the loopback
     * address. Port 0 selects a free one.
     *
     * @throws IllegalArgumentException if the text is invalid or the host is unknown; the message is for users
     */
    public static InetSocketAddress parse(String text) {
        if (text.matches("\\d+")) {
            return new InetSocketAddress(InetAddress.getLoopbackAddress(), port(text));
        }
        HostAndPort parts;
        try {
            parts = HostAndPort.fromString(text).requireBracketsForIPv6();
        } catch (IllegalArgumentException e) {
            throw malformed(text);
        }
        if (!parts.hasPort()) {
            throw malformed(text);
        }
        String host = parts.getHost().isEmpty() ? ALL : parts.getHost();
        @SuppressWarnings("AddressSelection") // one address is what a socket is bound to
        InetSocketAddress address = new InetSocketAddress(host, parts.getPort());
        if (address.isUnresolved()) {
            throw new IllegalArgumentException("unknown host \"" + host + "\" in \"" + text + "\"");
        }
        return address;
    }

    private static int port(String text) {
        int port = text.length() > 5 ? LAST_PORT + 1 : Integer.parseInt(text);
        if (port > LAST_PORT) {
            throw malformed(text);
        }
        return port;
    }

    private static IllegalArgumentException malformed(String text) {
        return new IllegalArgumentException("\"" + text
                + "\" is not an address to listen on (such as 127.0.0.1:10251, [::]:10251, :10251 or 10251)");
    }

    /** The text form, with brackets around IPv6 addresses. */
    public static String text(InetSocketAddress address) {
        String host = address.getAddress() == null
                ? address.getHostString()
                : address.getAddress().getHostAddress();
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + address.getPort();
    }
}
