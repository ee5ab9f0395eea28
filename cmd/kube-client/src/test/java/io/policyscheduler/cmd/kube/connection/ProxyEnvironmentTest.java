package io.policyscheduler.cmd.kube.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.policyscheduler.cmd.kube.connection.KubeConnection.ClusterException;
import io.policyscheduler.cmd.kube.connection.ProxyEnvironment.ProxyAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.URI;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The cases of golang.org/x/net/http/httpproxy that matter to an API server. */
class ProxyEnvironmentTest {
    private static String chosen(Map<String, String> environment, String url) {
        ProxyEnvironment proxies = ProxyEnvironment.of(environment);
        assertNotNull(proxies);
        Proxy proxy = proxies.select(URI.create(url)).get(0);
        if (proxy.type() == Proxy.Type.DIRECT) {
            return "direct";
        }
        InetSocketAddress address = (InetSocketAddress) proxy.address();
        return proxy.type() + " " + address.getHostString() + ":" + address.getPort();
    }

    @Test
    void theSchemeOfTheRequestDecides() {
        Map<String, String> both = Map.of("HTTPS_PROXY", "http://s:3128", "http_proxy", "p");
        assertEquals("HTTP s:3128", chosen(both, "https://api.example:6443"));
        assertEquals("HTTP p:80", chosen(both, "http://api.example"));
        assertEquals("direct", chosen(Map.of("HTTP_PROXY", "p"), "https://api.example"));
        assertEquals("direct", chosen(Map.of("HTTPS_PROXY", "p"), "http://api.example"));
        Map<String, String> cases = Map.of("HTTPS_PROXY", "upper:1", "https_proxy", "lower:2");
        assertEquals("HTTP upper:1", chosen(cases, "https://api.example"));
        assertEquals("SOCKS k:1080", chosen(Map.of("https_proxy", "socks5://k"), "https://api.example"));
        assertNull(ProxyEnvironment.of(Map.of("NO_PROXY", "*", "HTTPS_PROXY", "")));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'' | https://api.example | HTTP s:1",
                "'' | https://localhost:6443 | direct",
                "'' | https://127.0.0.7:6443 | direct",
                "'' | https://[::1]:6443 | direct",
                "* | https://api.example | direct",
                "api.example | https://api.example:6443 | direct",
                "api.example | https://x.api.example | direct",
                "api.example | https://xapi.example | HTTP s:1",
                ".api.example | https://api.example | HTTP s:1",
                ".api.example | https://x.API.example | direct",
                "*.api.example | https://x.api.example | direct",
                "*.api.example | https://api.example | HTTP s:1",
                "api.example:443 | https://api.example | direct",
                "api.example:443 | https://api.example:6443 | HTTP s:1",
                "a, 'b', api.example | https://api.example | direct",
                "10.0.0.0/8 | https://10.1.2.3:6443 | direct",
                "10.0.0.0/8 | https://11.1.2.3:6443 | HTTP s:1",
                "10.0.0.0/12 | https://10.15.0.1 | direct",
                "10.0.0.0/12 | https://10.16.0.1 | HTTP s:1",
                "10.0.0.0/8 | https://api.example | HTTP s:1",
                "10.1.2.3 | https://10.1.2.3 | direct",
                "10.1.2.3:6443 | https://10.1.2.3:6443 | direct",
                "10.1.2.3:6443 | https://10.1.2.3 | HTTP s:1",
                "fd00::/8 | https://[fd12::1]:6443 | direct",
                "fd00::/8 | https://10.1.2.3 | HTTP s:1",
                "[fd12::1]:6443 | https://[fd12::1]:6443 | direct",
                "fd12::1 | https://[fd12::1] | direct",
                "10.0.0.0/99 | https://10.1.2.3 | HTTP s:1",
                ":6443 | https://api.example:6443 | HTTP s:1",
            })
    void exceptions(String noProxy, String url, String expected) {
        assertEquals(expected, chosen(Map.of("HTTPS_PROXY", "s:1", "NO_PROXY", noProxy), url));
        assertEquals(expected, chosen(Map.of("https_proxy", "s:1", "no_proxy", noProxy), url));
    }

    @Test
    void aProxyOfTheConfigurationIsAlwaysTaken() {
        ProxyAddress address = ProxyAddress.of("http://ann:p%40ss@[fd00::1]:3128", "proxy-url");
        ProxyEnvironment always = ProxyEnvironment.always(address);
        assertEquals(Optional.of(address), always.proxyFor(URI.create("https://localhost:6443")));
        assertEquals(Optional.of("Basic YW5uOnBAc3M="), always.authorization(address.proxy()));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "https://p:1 | V: \"https://p:1\": an HTTPS proxy is not supported; use http:// (connections through it to an https server are still encrypted) or socks5://",
                "ftp://p:1 | V: \"ftp://p:1\": unsupported scheme \"ftp\", must be http or socks5",
                "socks5://a:b@p | V: \"socks5://a:***@p\": a SOCKS proxy with a password is not supported; use an HTTP"
                        + " proxy",
                "http:// | V: \"http://\" is not the URL of a proxy, such as http://proxy:3128",
                "http:///x | V: \"http:///x\" is not the URL of a proxy, such as http://proxy:3128",
            })
    void whatCannotBeUsedIsRefused(String url, String message) {
        ClusterException e = assertThrows(ClusterException.class, () -> ProxyAddress.of(url, "V"));
        assertEquals(message, e.getMessage());
    }
}
