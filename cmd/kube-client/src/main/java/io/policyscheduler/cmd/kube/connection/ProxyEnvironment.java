package io.policyscheduler.cmd.kube.connection;

import com.google.common.base.Splitter;
import com.google.common.net.InetAddresses;
import io.policyscheduler.cmd.kube.connection.KubeConnection.ClusterException;
import io.policyscheduler.engine.cluster.VisibleText;
import java.io.IOException;
import java.net.IDN;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.SocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The proxies of the environment, by the rules of Go programs such as kubectl (golang.org/x/net/http/httpproxy): {@code
 * HTTPS_PROXY} and {@code HTTP_PROXY} by the scheme of the request, except for the domains, addresses, and CIDR ranges of {@code
 * NO_PROXY}, each with or without a port, or {@code *} for all. The upper-case name of a variable takes precedence. Loopback addresses
 * never use a proxy.
 */
final class ProxyEnvironment extends ProxySelector {
    private static final int MAX_PREFIX = 128;

    /** One entry of NO_PROXY. */
    private interface Exemption {
        boolean matches(String host, String port, @Nullable InetAddress address);
    }

    private final @Nullable ProxyAddress https;
    private final @Nullable ProxyAddress http;
    private final List<Exemption> exceptions;
    private final boolean alsoHere;

    private ProxyEnvironment(
            @Nullable ProxyAddress https, @Nullable ProxyAddress http, List<Exemption> exceptions, boolean alsoHere) {
        this.alsoHere = alsoHere;
        this.https = https;
        this.http = http;
        this.exceptions = List.copyOf(exceptions);
    }

    /**
     * Reads the variables.
     *
     * @return null if they contain no proxy
     * @throws ClusterException if a proxy is invalid
     */
    static @Nullable ProxyEnvironment of(Map<String, String> environment) {
        ProxyAddress https = proxy(environment, "HTTPS_PROXY");
        ProxyAddress http = proxy(environment, "HTTP_PROXY");
        return https == null && http == null
                ? null
                : new ProxyEnvironment(https, http, exceptions(value(environment, "NO_PROXY")), false);
    }

    /** One proxy for all URLs. */
    static ProxyEnvironment always(ProxyAddress proxy) {
        return new ProxyEnvironment(proxy, proxy, List.of(), true);
    }

    private static String value(Map<String, String> environment, String name) {
        String upper = environment.getOrDefault(name, "");
        return upper.isEmpty() ? environment.getOrDefault(name.toLowerCase(Locale.ROOT), "") : upper;
    }

    private static @Nullable ProxyAddress proxy(Map<String, String> environment, String name) {
        String value = value(environment, name).strip();
        return value.isEmpty() ? null : ProxyAddress.of(value.contains("://") ? value : "http://" + value, name);
    }

    private static List<Exemption> exceptions(String list) {
        List<Exemption> all = new ArrayList<>();
        for (String entry : Splitter.on(',').trimResults().omitEmptyStrings().split(list.toLowerCase(Locale.ROOT))) {
            if (entry.equals("*")) {
                return List.of((host, port, address) -> true);
            }
            int slash = entry.indexOf('/');
            if (slash >= 0) {
                range(entry.substring(0, slash), entry.substring(slash + 1)).ifPresent(all::add);
            } else {
                single(entry).ifPresent(all::add);
            }
        }
        return all;
    }

    private static Optional<Exemption> range(String base, String length) {
        if (!InetAddresses.isInetAddress(base) || !length.matches("[0-9]{1,3}")) {
            return Optional.empty();
        }
        byte[] network = InetAddresses.forString(base).getAddress();
        int bits = Math.min(MAX_PREFIX, Integer.parseInt(length));
        return Optional.of((host, port, address) -> address != null && isWithin(address.getAddress(), network, bits));
    }

    private static boolean isWithin(byte[] address, byte[] network, int bits) {
        if (address.length != network.length || bits > 8 * network.length) {
            return false;
        }
        int whole = bits / 8;
        int rest = bits % 8;
        int mask = 0xFF00 >> rest & 0xFF;
        return Arrays.equals(address, 0, whole, network, 0, whole)
                && (rest == 0 || (address[whole] & mask) == (network[whole] & mask));
    }

    private static Optional<Exemption> single(String entry) {
        String name = entry;
        String port = "";
        int colon = entry.lastIndexOf(':');
        if (colon >= 0 && (entry.indexOf(':') == colon || entry.startsWith("[")) && !entry.endsWith("]")) {
            name = entry.substring(0, colon);
            port = entry.substring(colon + 1);
        }
        name = unbracketed(name);
        if (name.isEmpty()) {
            return Optional.empty();
        }
        String excludedPort = port;
        if (InetAddresses.isInetAddress(name)) {
            InetAddress excluded = InetAddresses.forString(name);
            return Optional.of((host, given, address) -> excluded.equals(address) && isPort(excludedPort, given));
        }
        // "*.example.com" and ".example.com" match subdomains; "example.com" also matches itself.
        boolean alsoItself = !name.startsWith("*.") && !name.startsWith(".");
        String bare = ascii(name.startsWith("*.") ? name.substring(2) : alsoItself ? name : name.substring(1));
        return Optional.of((host, given, address) ->
                (host.endsWith("." + bare) || (alsoItself && host.equals(bare))) && isPort(excludedPort, given));
    }

    private static boolean isPort(String excluded, String given) {
        return excluded.isEmpty() || excluded.equals(given);
    }

    private static String unbracketed(String name) {
        return name.startsWith("[") && name.endsWith("]") ? name.substring(1, name.length() - 1) : name;
    }

    private static String ascii(String name) {
        try {
            return IDN.toASCII(name);
        } catch (IllegalArgumentException e) {
            return name;
        }
    }

    /** The proxy for a URL; empty for none. */
    Optional<ProxyAddress> proxyFor(URI url) {
        boolean secure = "https".equals(url.getScheme());
        ProxyAddress proxy = secure ? https : http;
        if (proxy == null || url.getHost() == null) {
            return Optional.empty();
        }
        String host = ascii(unbracketed(url.getHost().toLowerCase(Locale.ROOT)));
        String port = Integer.toString(url.getPort() >= 0 ? url.getPort() : secure ? 443 : 80);
        InetAddress address = InetAddresses.isInetAddress(host) ? InetAddresses.forString(host) : null;
        boolean isHere = !alsoHere && (host.equals("localhost") || (address != null && address.isLoopbackAddress()));
        boolean excepted = exceptions.stream().anyMatch(each -> each.matches(host, port, address));
        return isHere || excepted ? Optional.empty() : Optional.of(proxy);
    }

    @Override
    public List<Proxy> select(URI url) {
        return List.of(proxyFor(url).map(ProxyAddress::proxy).orElse(Proxy.NO_PROXY));
    }

    @Override
    public void connectFailed(URI url, SocketAddress address, IOException cause) {
        // reported to the caller
    }

    /** Adds the credentials of the proxies of this environment. */
    Optional<String> authorization(Proxy proxy) {
        for (ProxyAddress each : Arrays.asList(https, http)) {
            if (each != null && each.proxy().equals(proxy)) {
                return each.authorization();
            }
        }
        return Optional.empty();
    }

    /**
     * A proxy.
     *
     * @param authorization value of the header {@code Proxy-Authorization}; empty for none
     */
    record ProxyAddress(Proxy proxy, Optional<String> authorization) {
        private static final int HTTP_PORT = 80;
        private static final int SOCKS_PORT = 1080;

        /**
         * Reads a URL: {@code http://[USER:PASSWORD@]HOST[:PORT]} or {@code socks5://HOST[:PORT]}.
         *
         * @param where the place in messages
         * @throws ClusterException if the URL is invalid or not supported
         */
        static ProxyAddress of(String url, String where) {
            String shown = where + ": \"" + VisibleText.withoutPasswords(url) + "\"";
            URI uri;
            try {
                uri = new URI(url);
            } catch (URISyntaxException e) {
                throw new ClusterException(shown + " is not the URL of a proxy, such as http://proxy:3128", e);
            }
            String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
            String host = uri.getHost();
            if (host == null) {
                throw new ClusterException(shown + " is not the URL of a proxy, such as http://proxy:3128");
            }
            String user = uri.getUserInfo();
            switch (scheme) {
                case "http" -> {
                    String header = user == null
                            ? ""
                            : "Basic " + Base64.getEncoder().encodeToString(user.getBytes(StandardCharsets.UTF_8));
                    return new ProxyAddress(
                            new Proxy(Proxy.Type.HTTP, address(host, uri.getPort(), HTTP_PORT)),
                            Optional.of(header).filter(text -> !text.isEmpty()));
                }
                case "socks5", "socks5h" -> {
                    if (user != null) {
                        throw new ClusterException(
                                shown + ": a SOCKS proxy with a password is not supported; use an HTTP proxy");
                    }
                    return new ProxyAddress(
                            new Proxy(Proxy.Type.SOCKS, address(host, uri.getPort(), SOCKS_PORT)), Optional.empty());
                }
                case "https" ->
                    throw new ClusterException(shown
                            + ": an HTTPS proxy is not supported; use http:// (connections through it to an"
                            + " https server are still encrypted) or socks5://");
                default ->
                    throw new ClusterException(
                            shown + ": unsupported scheme \"" + scheme + "\", must be http or socks5");
            }
        }

        private static InetSocketAddress address(String host, int port, int standard) {
            String name = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
            return InetSocketAddress.createUnresolved(name, port < 0 ? standard : port);
        }
    }
}
