package io.policyscheduler.cmd.kube.access;

import io.policyscheduler.cmd.kube.ClusterException;
import io.policyscheduler.engine.cluster.VisibleText;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Locale;
import java.util.Optional;

/**
 * A proxy on the way to the server.
 *
 * @param authorization value of the header {@code Proxy-Authorization}; empty for none
 */
record ProxyAddress(Proxy proxy, Optional<String> authorization) {
    private static final int HTTP_PORT = 80;
    private static final int SOCKS_PORT = 1080;

    /**
     * Reads a URL: {@code http://[USER:PASSWORD@]HOST[:PORT]} or {@code socks5://HOST[:PORT]}.
     *
     * @param where it stands, for users
     * @throws ClusterException when it is none, or not one that this client can use
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
                throw new ClusterException(shown + ": unsupported scheme \"" + scheme + "\", must be http or socks5");
        }
    }

    private static InetSocketAddress address(String host, int port, int standard) {
        String name = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
        return InetSocketAddress.createUnresolved(name, port < 0 ? standard : port);
    }
}
