package io.policyscheduler.framework.devices.cel.function;

import dev.cel.common.types.CelType;
import dev.cel.common.types.SimpleType;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

/**
 * A block of IP addresses in expressions. Mirrors {@code staging/src/k8s.io/apiserver/pkg/cel/library/cidr.go}.
 *
 * @param bits how many bits its addresses share with {@code address}
 */
public record IpBlock(IpAddress address, int bits) {
    private static final CelType C = ValueTypes.CIDR;

    static IpBlock parse(String text) {
        int slash = text.lastIndexOf('/');
        String why = "no '/'";
        if (slash >= 0) {
            String length = text.substring(slash + 1);
            if (!IpAddress.isIp(text.substring(0, slash))) {
                why = "ParseAddr(\"" + text.substring(0, slash) + "\"): unable to parse IP";
            } else if (!length.matches("0|[1-9][0-9]{0,2}")) {
                why = "bad bits after slash: \"" + length + "\"";
            } else {
                IpAddress address = IpAddress.parse(text.substring(0, slash));
                int bits = Integer.parseInt(length);
                if (bits <= address.address().getAddress().length * 8) {
                    return new IpBlock(address, bits);
                }
                why = "prefix length out of range";
            }
        }
        throw new FunctionFailure("network address parse error during conversion from string: network address parse"
                + " error during conversion from string: netip.ParsePrefix(\"" + text + "\"): " + why);
    }

    private IpBlock masked() {
        byte[] bytes = address.address().getAddress();
        for (int bit = bits; bit < bytes.length * 8; bit++) {
            bytes[bit / 8] &= (byte) ~(0x80 >> (bit % 8));
        }
        try {
            return new IpBlock(new IpAddress(InetAddress.getByAddress(bytes)), bits);
        } catch (UnknownHostException e) {
            throw new IllegalStateException("an address of " + bytes.length + " bytes", e);
        }
    }

    private boolean contains(IpBlock other) {
        return other.bits >= bits
                && masked().equals(new IpBlock(other.address, bits).masked())
                && other.address.address().getAddress().length
                        == address.address().getAddress().length;
    }

    private boolean contains(IpAddress other) {
        int all = other.address().getAddress().length * 8;
        return all == address.address().getAddress().length * 8 && contains(new IpBlock(other, all));
    }

    /** The functions of blocks. */
    public static FunctionSet functions() {
        CelType text = SimpleType.STRING;
        CelType bool = SimpleType.BOOL;
        return new FunctionSet()
                .global("cidr", C, List.of(text), a -> parse((String) a[0]))
                .global("isCIDR", bool, List.of(text), a -> isCidr((String) a[0]))
                .global("string", text, List.of(C), a -> of(a[0]).address.text() + "/" + of(a[0]).bits)
                .member("containsIP", bool, List.of(C, text), a -> of(a[0]).contains(IpAddress.parse((String) a[1])))
                .member("containsIP", bool, List.of(C, ValueTypes.IP), a -> of(a[0]).contains((IpAddress) a[1]))
                .member("containsCIDR", bool, List.of(C, text), a -> of(a[0]).contains(parse((String) a[1])))
                .member("containsCIDR", bool, List.of(C, C), a -> of(a[0]).contains(of(a[1])))
                .member("ip", ValueTypes.IP, List.of(C), a -> of(a[0]).address)
                .member("masked", C, List.of(C), a -> of(a[0]).masked())
                .member("prefixLength", SimpleType.INT, List.of(C), a -> (long) of(a[0]).bits);
    }

    private static boolean isCidr(String text) {
        try {
            parse(text);
            return true;
        } catch (FunctionFailure e) {
            return false;
        }
    }

    private static IpBlock of(Object value) {
        return (IpBlock) value;
    }
}
