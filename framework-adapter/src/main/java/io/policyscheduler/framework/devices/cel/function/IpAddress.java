package io.policyscheduler.framework.devices.cel.function;

import com.google.common.net.InetAddresses;
import dev.cel.common.types.CelType;
import dev.cel.common.types.SimpleType;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.List;

/** An IP address in expressions. Mirrors {@code staging/src/k8s.io/apiserver/pkg/cel/library/ip.go}. */
public record IpAddress(InetAddress address) {
    private static final CelType IP = ValueTypes.IP;

    static IpAddress parse(String text) {
        // Addresses with a zone, and IPv4 in the guise of IPv6, are refused.
        boolean mapped = text.indexOf(':') >= 0 && text.indexOf('.') >= 0;
        if (!mapped && text.indexOf('%') < 0 && InetAddresses.isInetAddress(text)) {
            return new IpAddress(InetAddresses.forString(text));
        }
        throw new FunctionFailure("IP Address \"" + text + "\" parse error during conversion from string: ParseAddr(\""
                + text + "\"): unable to parse IP");
    }

    static boolean isIp(String text) {
        try {
            parse(text);
            return true;
        } catch (FunctionFailure e) {
            return false;
        }
    }

    private boolean isGlobalUnicast() {
        boolean broadcast = address instanceof Inet4Address && text().equals("255.255.255.255");
        return !broadcast
                && !address.isAnyLocalAddress()
                && !address.isLoopbackAddress()
                && !address.isMulticastAddress()
                && !address.isLinkLocalAddress();
    }

    /** In its canonical form. */
    String text() {
        return InetAddresses.toAddrString(address);
    }

    /** The functions of addresses. */
    public static FunctionSet functions() {
        CelType bool = SimpleType.BOOL;
        return new FunctionSet()
                .global("ip", IP, List.of(SimpleType.STRING), a -> parse((String) a[0]))
                .global("isIP", bool, List.of(SimpleType.STRING), a -> isIp((String) a[0]))
                .global(
                        "ip.isCanonical",
                        bool,
                        List.of(SimpleType.STRING),
                        a -> parse((String) a[0]).text().equals(a[0]))
                .global("string", SimpleType.STRING, List.of(IP), a -> of(a[0]).text())
                .member("family", SimpleType.INT, List.of(IP), a -> of(a[0]).address instanceof Inet4Address ? 4L : 6L)
                .member(
                        "isUnspecified",
                        bool,
                        List.of(IP),
                        a -> of(a[0]).address.isAnyLocalAddress())
                .member("isLoopback", bool, List.of(IP), a -> of(a[0]).address.isLoopbackAddress())
                .member(
                        "isLinkLocalMulticast",
                        bool,
                        List.of(IP),
                        a -> of(a[0]).address.isMCLinkLocal())
                .member(
                        "isLinkLocalUnicast",
                        bool,
                        List.of(IP),
                        a -> of(a[0]).address.isLinkLocalAddress())
                .member("isGlobalUnicast", bool, List.of(IP), a -> of(a[0]).isGlobalUnicast());
    }

    private static IpAddress of(Object value) {
        return (IpAddress) value;
    }
}
