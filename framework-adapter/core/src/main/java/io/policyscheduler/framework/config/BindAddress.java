package io.policyscheduler.framework.config;

import com.google.common.net.InetAddresses;
import com.google.common.primitives.Ints;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Addresses to serve on, with the defaults and error texts of the versions that had them. */
public final class BindAddress {
    /** The port for plain HTTP of kube-scheduler. */
    public static final int DEFAULT_PORT = 10_251;

    public static final String DEFAULT = "0.0.0.0:" + DEFAULT_PORT;
    private static final int MAX_PORT = 65535;

    private BindAddress() {}

    /** Host and port of a text, null if it is not of the form {@code host:port}. */
    private record HostPort(String host, String port) {
        static @Nullable HostPort split(String text) {
            int colon = text.lastIndexOf(':');
            if (colon < 0) {
                return null;
            }
            String host = text.substring(0, colon);
            boolean bracketed = host.startsWith("[") && host.endsWith("]");
            String inner = bracketed ? host.substring(1, host.length() - 1) : host;
            if (inner.contains("[") || inner.contains("]") || (!bracketed && inner.contains(":"))) {
                return null;
            }
            return new HostPort(inner, text.substring(colon + 1));
        }
    }

    /**
     * Completes an address: a port alone listens on all addresses, and an IP address alone gets the default port. Null if the text
     * is neither.
     */
    public static @Nullable String complete(String text) {
        HostPort address = HostPort.split(text);
        if (address != null) {
            return join(address.host().isEmpty() ? "0.0.0.0" : address.host(), address.port());
        }
        return InetAddresses.isInetAddress(text) ? join(text, String.valueOf(DEFAULT_PORT)) : null;
    }

    private static String join(String host, String port) {
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }

    /** The problems of an address, empty if it is valid. */
    public static List<String> problems(String text) {
        HostPort address = HostPort.split(text);
        if (address == null) {
            return List.of("must be a valid socket address format, (e.g. 0.0.0.0:10254 or [::]:10254)");
        }
        List<String> problems = new ArrayList<>();
        Integer port = Ints.tryParse(address.port());
        if (port == null || port < 1 || port > MAX_PORT) {
            problems.add("must be between 1 and 65535, inclusive");
        }
        if (!InetAddresses.isInetAddress(address.host())) {
            problems.add("must be a valid IP address, (e.g. 10.9.8.7)");
        }
        return problems;
    }
}
