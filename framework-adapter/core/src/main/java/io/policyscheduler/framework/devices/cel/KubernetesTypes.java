package io.policyscheduler.framework.devices.cel;

import com.google.common.base.CharMatcher;
import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableMap;
import com.google.common.net.InetAddresses;
import com.google.common.primitives.UnsignedLong;
import dev.cel.common.types.CelType;
import dev.cel.common.types.ListType;
import dev.cel.common.types.MapType;
import dev.cel.common.types.OpaqueType;
import dev.cel.common.types.OptionalType;
import dev.cel.common.types.SimpleType;
import dev.cel.common.values.CelByteString;
import dev.cel.common.values.NullValue;
import io.policyscheduler.engine.cluster.resource.Quantity;
import io.policyscheduler.framework.devices.cel.FunctionLibrary.FunctionException;
import io.policyscheduler.framework.devices.cel.KubernetesTypes.Ip;
import io.policyscheduler.framework.devices.cel.KubernetesTypes.Url;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * The types that Kubernetes adds to CEL, with their functions: quantities, semantic versions, URLs, IP addresses, CIDRs, and
 * named formats. Mirrors {@code staging/src/k8s.io/apiserver/pkg/cel}.
 */
public final class KubernetesTypes {
    /** A resource quantity. */
    public static final CelType QUANTITY = OpaqueType.create("kubernetes.Quantity");

    static final CelType SEMVER = OpaqueType.create("kubernetes.Semver");
    static final CelType URL = OpaqueType.create("kubernetes.URL");
    static final CelType IP = OpaqueType.create("net.IP");
    static final CelType CIDR = OpaqueType.create("net.CIDR");
    static final CelType FORMAT = OpaqueType.create("kubernetes.NamedFormat");

    private KubernetesTypes() {}

    /** The names of types in error messages. */
    public static final class TypeNames {
        /** The type of timestamps. */
        public static final String TIMESTAMP = "google.protobuf.Timestamp";
        /** The type of durations. */
        public static final String DURATION = "google.protobuf.Duration";

        private static final ImmutableMap<Class<?>, String> NAMES = ImmutableMap.<Class<?>, String>builder()
                .put(Long.class, "int")
                .put(UnsignedLong.class, "uint")
                .put(Double.class, "double")
                .put(Boolean.class, "bool")
                .put(String.class, "string")
                .put(CelByteString.class, "bytes")
                .put(NullValue.class, "null_type")
                .put(Instant.class, TIMESTAMP)
                .put(Duration.class, DURATION)
                .put(ExactQuantity.class, KubernetesTypes.QUANTITY.name())
                .put(Semver.class, KubernetesTypes.SEMVER.name())
                .put(Url.class, KubernetesTypes.URL.name())
                .put(Ip.class, KubernetesTypes.IP.name())
                .put(Cidr.class, KubernetesTypes.CIDR.name())
                .put(NamedFormat.class, KubernetesTypes.FORMAT.name())
                .buildOrThrow();

        private TypeNames() {}

        /** Returns the name of a value's type; {@code any} if it is unknown. */
        public static String of(Object value) {
            if (value instanceof List) {
                return "list";
            }
            return value instanceof Map ? "map" : NAMES.getOrDefault(value.getClass(), "any");
        }
    }

    /**
     * An exact quantity. Mirrors {@code staging/src/k8s.io/apiserver/pkg/cel/library/quantity.go}.
     *
     * @param amount the amount without trailing zeros, so that equal amounts are equal objects
     */
    public record ExactQuantity(BigDecimal amount) implements Comparable<ExactQuantity> {
        private static final String SYNTAX = "^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$";
        private static final Pattern SHAPE = Pattern.compile(SYNTAX);
        private static final CelType Q = KubernetesTypes.QUANTITY;

        /** Strips trailing zeros. */
        public ExactQuantity {
            amount = amount.stripTrailingZeros();
        }

        /** @throws FunctionException if the text is not a quantity */
        public static ExactQuantity parse(String text) {
            try {
                return new ExactQuantity(Quantity.parse(text).exact());
            } catch (IllegalArgumentException e) {
                throw new FunctionException(
                        SHAPE.matcher(text).matches()
                                ? "unable to parse quantity's suffix"
                                : "quantities must match the regular expression '" + SYNTAX + "'");
            }
        }

        @Override
        public int compareTo(ExactQuantity other) {
            return amount.compareTo(other.amount);
        }

        private boolean isWhole() {
            return amount.scale() <= 0
                    && amount.precision() - amount.scale() <= 19
                    && amount.toBigInteger().bitLength() < 64;
        }

        private long whole() {
            if (!isWhole()) {
                throw new FunctionException("cannot convert value to integer");
            }
            return amount.longValueExact();
        }

        private ExactQuantity plus(BigDecimal other) {
            return new ExactQuantity(amount.add(other));
        }

        /** Returns the functions of quantities. */
        public static FunctionLibrary functions() {
            return new FunctionLibrary()
                    .global("quantity", Q, List.of(SimpleType.STRING), a -> parse((String) a[0]))
                    .global("isQuantity", SimpleType.BOOL, List.of(SimpleType.STRING), a -> isQuantity((String) a[0]))
                    .global("sign", SimpleType.INT, List.of(Q), a ->
                            (long) of(a[0]).amount.signum())
                    .member("isInteger", SimpleType.BOOL, List.of(Q), a -> of(a[0]).isWhole())
                    .member("asInteger", SimpleType.INT, List.of(Q), a -> of(a[0]).whole())
                    .member(
                            "asApproximateFloat",
                            SimpleType.DOUBLE,
                            List.of(Q),
                            a -> of(a[0]).amount.doubleValue())
                    .member("isGreaterThan", SimpleType.BOOL, List.of(Q, Q), a -> of(a[0]).compareTo(of(a[1])) > 0)
                    .member("isLessThan", SimpleType.BOOL, List.of(Q, Q), a -> of(a[0]).compareTo(of(a[1])) < 0)
                    .member("compareTo", SimpleType.INT, List.of(Q, Q), a -> (long) of(a[0]).compareTo(of(a[1])))
                    .member("add", Q, List.of(Q, Q), a -> of(a[0]).plus(of(a[1]).amount))
                    .member("add", Q, List.of(Q, SimpleType.INT), a -> of(a[0]).plus(BigDecimal.valueOf((Long) a[1])))
                    .member(
                            "sub",
                            Q,
                            List.of(Q, Q),
                            a -> of(a[0]).plus(of(a[1]).amount.negate()))
                    .member(
                            "sub",
                            Q,
                            List.of(Q, SimpleType.INT),
                            a -> of(a[0]).plus(BigDecimal.valueOf((Long) a[1]).negate()));
        }

        private static boolean isQuantity(String text) {
            try {
                parse(text);
                return true;
            } catch (FunctionException e) {
                return false;
            }
        }

        private static ExactQuantity of(Object value) {
            return (ExactQuantity) value;
        }
    }

    /**
     * A semantic version. Mirrors {@code staging/src/k8s.io/apiserver/pkg/cel/library/semverlib.go}, which parses with
     * {@code github.com/blang/semver/v4}.
     *
     * @param preRelease the dot-separated identifiers; empty for a release
     */
    public record Semver(long major, long minor, long patch, List<String> preRelease) implements Comparable<Semver> {
        private static final CelType V = KubernetesTypes.SEMVER;
        private static final CharMatcher DIGITS = CharMatcher.inRange('0', '9');
        private static final CharMatcher WORD = DIGITS.or(CharMatcher.inRange('a', 'z'))
                .or(CharMatcher.inRange('A', 'Z'))
                .or(CharMatcher.is('-'));
        private static final BigInteger MAX = BigInteger.ONE.shiftLeft(64).subtract(BigInteger.ONE);

        /** A version. */
        public Semver {
            preRelease = List.copyOf(preRelease);
        }

        /** @throws FunctionException if the text is not a version */
        public static Semver parse(String text) {
            if (text.isEmpty()) {
                throw new FunctionException("Version string empty");
            }
            List<String> parts = Splitter.on('.').limit(3).splitToList(text);
            if (parts.size() != 3) {
                throw new FunctionException("No Major.Minor.Patch elements found");
            }
            long major = number("major", "Major", parts.get(0));
            long minor = number("minor", "Minor", parts.get(1));
            String rest = parts.get(2);
            List<String> build = List.of();
            int plus = rest.indexOf('+');
            if (plus >= 0) {
                build = Splitter.on('.').splitToList(rest.substring(plus + 1));
                rest = rest.substring(0, plus);
            }
            List<String> pre = List.of();
            int minus = rest.indexOf('-');
            if (minus >= 0) {
                pre = Splitter.on('.').splitToList(rest.substring(minus + 1));
                rest = rest.substring(0, minus);
            }
            long patch = number("patch", "Patch", rest);
            pre.forEach(Semver::checkPreRelease);
            build.forEach(Semver::checkBuild);
            return new Semver(major, minor, patch, pre);
        }

        private static long number(String name, String capital, String digits) {
            if (!DIGITS.matchesAllOf(digits)) {
                throw new FunctionException("Invalid character(s) found in " + name + " number \"" + digits + "\"");
            }
            if (digits.length() > 1 && digits.charAt(0) == '0') {
                throw new FunctionException(capital + " number must not contain leading zeroes \"" + digits + "\"");
            }
            if (digits.isEmpty()) {
                throw new FunctionException("strconv.ParseUint: parsing \"\": invalid syntax");
            }
            if (new BigInteger(digits).compareTo(MAX) > 0) {
                throw new FunctionException("strconv.ParseUint: parsing \"" + digits + "\": value out of range");
            }
            return Long.parseUnsignedLong(digits);
        }

        private static void checkPreRelease(String part) {
            if (part.isEmpty()) {
                throw new FunctionException("Prerelease is empty");
            }
            if (DIGITS.matchesAllOf(part)) {
                if (part.length() > 1 && part.charAt(0) == '0') {
                    throw new FunctionException(
                            "Numeric PreRelease version must not contain leading zeroes \"" + part + "\"");
                }
            } else if (!WORD.matchesAllOf(part)) {
                throw new FunctionException("Invalid character(s) found in prerelease \"" + part + "\"");
            }
        }

        private static void checkBuild(String part) {
            if (part.isEmpty()) {
                throw new FunctionException("Build meta data is empty");
            }
            if (!WORD.matchesAllOf(part)) {
                throw new FunctionException("Invalid character(s) found in build meta data \"" + part + "\"");
            }
        }

        /** Strips leading zeros and the prefix {@code v}, and appends missing minor and patch numbers. */
        private static String normalized(String text) {
            String rest = text.startsWith("v") ? text.substring(1) : text;
            List<String> parts = new ArrayList<>(Splitter.on('.').limit(3).splitToList(rest));
            for (int i = 0; i < parts.size(); i++) {
                String part = parts.get(i);
                if (part.length() > 1) {
                    String trimmed = CharMatcher.is('0').trimLeadingFrom(part);
                    parts.set(i, trimmed.isEmpty() || !DIGITS.matches(trimmed.charAt(0)) ? "0" + trimmed : trimmed);
                }
            }
            String last = parts.get(parts.size() - 1);
            if (parts.size() < 3 && CharMatcher.anyOf("+-").matchesNoneOf(last)) {
                while (parts.size() < 3) {
                    parts.add("0");
                }
            }
            return String.join(".", parts);
        }

        @Override
        public int compareTo(Semver other) {
            int order = Long.compareUnsigned(major, other.major);
            order = order != 0 ? order : Long.compareUnsigned(minor, other.minor);
            order = order != 0 ? order : Long.compareUnsigned(patch, other.patch);
            if (order != 0) {
                return Integer.signum(order);
            }
            if (preRelease.isEmpty() || other.preRelease.isEmpty()) {
                return Boolean.compare(preRelease.isEmpty(), other.preRelease.isEmpty());
            }
            for (int i = 0; i < Math.min(preRelease.size(), other.preRelease.size()); i++) {
                int part = comparePart(preRelease.get(i), other.preRelease.get(i));
                if (part != 0) {
                    return part;
                }
            }
            return Integer.compare(preRelease.size(), other.preRelease.size());
        }

        private static int comparePart(String a, String b) {
            boolean aNumber = DIGITS.matchesAllOf(a);
            boolean bNumber = DIGITS.matchesAllOf(b);
            if (aNumber && bNumber) {
                return new BigInteger(a).compareTo(new BigInteger(b));
            }
            return aNumber == bNumber ? Integer.signum(a.compareTo(b)) : Boolean.compare(bNumber, aNumber);
        }

        /** Returns the functions of versions. */
        public static FunctionLibrary functions() {
            return new FunctionLibrary()
                    .global("semver", V, List.of(SimpleType.STRING), a -> parse((String) a[0]))
                    .global("semver", V, List.of(SimpleType.STRING, SimpleType.BOOL), a -> parse(text(a)))
                    .global("isSemver", SimpleType.BOOL, List.of(SimpleType.STRING), a -> isSemver((String) a[0]))
                    .global(
                            "isSemver",
                            SimpleType.BOOL,
                            List.of(SimpleType.STRING, SimpleType.BOOL),
                            a -> isSemver(text(a)))
                    .member("isGreaterThan", SimpleType.BOOL, List.of(V, V), a -> of(a[0]).compareTo(of(a[1])) > 0)
                    .member("isLessThan", SimpleType.BOOL, List.of(V, V), a -> of(a[0]).compareTo(of(a[1])) < 0)
                    .member("compareTo", SimpleType.INT, List.of(V, V), a -> (long) of(a[0]).compareTo(of(a[1])))
                    .member("major", SimpleType.INT, List.of(V), a -> of(a[0]).major)
                    .member("minor", SimpleType.INT, List.of(V), a -> of(a[0]).minor)
                    .member("patch", SimpleType.INT, List.of(V), a -> of(a[0]).patch);
        }

        private static String text(Object[] args) {
            return (Boolean) args[1] ? normalized((String) args[0]) : (String) args[0];
        }

        private static boolean isSemver(String text) {
            try {
                parse(text);
                return true;
            } catch (FunctionException e) {
                return false;
            }
        }

        private static Semver of(Object value) {
            return (Semver) value;
        }
    }

    /** An absolute URL, or an absolute path. Mirrors {@code staging/src/k8s.io/apiserver/pkg/cel/library/urls.go}. */
    public record Url(URI uri) {
        private static final CelType U = KubernetesTypes.URL;

        static Url parse(String text) {
            try {
                URI uri = new URI(text);
                if (uri.isAbsolute() || text.startsWith("/")) {
                    return new Url(uri);
                }
            } catch (URISyntaxException e) {
                // Reported below, as for relative references.
            }
            throw new FunctionException(
                    "URL parse error during conversion from string: parse \"" + text + "\": invalid URI for request");
        }

        private String host() {
            String authority = Objects.requireNonNullElse(uri.getRawAuthority(), "");
            return authority.substring(authority.indexOf('@') + 1);
        }

        private String port() {
            String host = host();
            int colon = host.lastIndexOf(':');
            return colon > host.lastIndexOf(']') ? host.substring(colon + 1) : "";
        }

        private String hostname() {
            String host = host();
            String port = port();
            String name = port.isEmpty() ? host : host.substring(0, host.length() - port.length() - 1);
            return name.startsWith("[") && name.endsWith("]") ? name.substring(1, name.length() - 1) : name;
        }

        private Map<String, List<String>> query() {
            Map<String, List<String>> query = new LinkedHashMap<>();
            String raw = Objects.requireNonNullElse(uri.getRawQuery(), "");
            for (String pair : Splitter.on('&').omitEmptyStrings().split(raw)) {
                int equal = pair.indexOf('=');
                String key = equal < 0 ? pair : pair.substring(0, equal);
                query.computeIfAbsent(decoded(key), k -> new ArrayList<>())
                        .add(equal < 0 ? "" : decoded(pair.substring(equal + 1)));
            }
            return query;
        }

        private static String decoded(String text) {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        }

        /** Returns the functions of URLs. */
        public static FunctionLibrary functions() {
            CelType text = SimpleType.STRING;
            return new FunctionLibrary()
                    .global("url", U, List.of(text), a -> parse((String) a[0]))
                    .global("isURL", SimpleType.BOOL, List.of(text), a -> isUrl((String) a[0]))
                    .member(
                            "getScheme",
                            text,
                            List.of(U),
                            a -> Objects.requireNonNullElse(of(a[0]).uri.getScheme(), ""))
                    .member("getHost", text, List.of(U), a -> of(a[0]).host())
                    .member("getHostname", text, List.of(U), a -> of(a[0]).hostname())
                    .member("getPort", text, List.of(U), a -> of(a[0]).port())
                    .member(
                            "getEscapedPath",
                            text,
                            List.of(U),
                            a -> Objects.requireNonNullElse(of(a[0]).uri.getRawPath(), ""))
                    .member("getQuery", MapType.create(text, ListType.create(text)), List.of(U), a -> of(a[0]).query());
        }

        private static boolean isUrl(String text) {
            try {
                parse(text);
                return true;
            } catch (FunctionException e) {
                return false;
            }
        }

        private static Url of(Object value) {
            return (Url) value;
        }
    }

    /** An IP address. Mirrors {@code staging/src/k8s.io/apiserver/pkg/cel/library/ip.go}. */
    public record Ip(InetAddress address) {
        private static final CelType IP = KubernetesTypes.IP;

        static Ip parse(String text) {
            // Kubernetes rejects addresses with a zone, and IPv4-mapped IPv6 addresses.
            boolean mapped = text.indexOf(':') >= 0 && text.indexOf('.') >= 0;
            if (!mapped && text.indexOf('%') < 0 && InetAddresses.isInetAddress(text)) {
                return new Ip(InetAddresses.forString(text));
            }
            throw new FunctionException("IP Address \"" + text
                    + "\" parse error during conversion from string: ParseAddr(\"" + text + "\"): unable to parse IP");
        }

        static boolean isIp(String text) {
            try {
                parse(text);
                return true;
            } catch (FunctionException e) {
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

        /** Returns the canonical form. */
        String text() {
            return InetAddresses.toAddrString(address);
        }

        /** Returns the functions of addresses. */
        public static FunctionLibrary functions() {
            CelType bool = SimpleType.BOOL;
            return new FunctionLibrary()
                    .global("ip", IP, List.of(SimpleType.STRING), a -> parse((String) a[0]))
                    .global("isIP", bool, List.of(SimpleType.STRING), a -> isIp((String) a[0]))
                    .global(
                            "ip.isCanonical",
                            bool,
                            List.of(SimpleType.STRING),
                            a -> parse((String) a[0]).text().equals(a[0]))
                    .global("string", SimpleType.STRING, List.of(IP), a -> of(a[0]).text())
                    .member(
                            "family",
                            SimpleType.INT,
                            List.of(IP),
                            a -> of(a[0]).address instanceof Inet4Address ? 4L : 6L)
                    .member(
                            "isUnspecified",
                            bool,
                            List.of(IP),
                            a -> of(a[0]).address.isAnyLocalAddress())
                    .member(
                            "isLoopback",
                            bool,
                            List.of(IP),
                            a -> of(a[0]).address.isLoopbackAddress())
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

        private static Ip of(Object value) {
            return (Ip) value;
        }
    }

    /**
     * A CIDR block of IP addresses. Mirrors {@code staging/src/k8s.io/apiserver/pkg/cel/library/cidr.go}.
     *
     * @param bits length of the prefix
     */
    public record Cidr(Ip address, int bits) {
        private static final CelType C = KubernetesTypes.CIDR;

        static Cidr parse(String text) {
            int slash = text.lastIndexOf('/');
            String why = "no '/'";
            if (slash >= 0) {
                String length = text.substring(slash + 1);
                if (!Ip.isIp(text.substring(0, slash))) {
                    why = "ParseAddr(\"" + text.substring(0, slash) + "\"): unable to parse IP";
                } else if (!length.matches("0|[1-9][0-9]{0,2}")) {
                    why = "bad bits after slash: \"" + length + "\"";
                } else {
                    Ip address = Ip.parse(text.substring(0, slash));
                    int bits = Integer.parseInt(length);
                    if (bits <= address.address().getAddress().length * 8) {
                        return new Cidr(address, bits);
                    }
                    why = "prefix length out of range";
                }
            }
            throw new FunctionException(
                    "network address parse error during conversion from string: network address parse"
                            + " error during conversion from string: netip.ParsePrefix(\"" + text + "\"): " + why);
        }

        private Cidr masked() {
            byte[] bytes = address.address().getAddress();
            for (int bit = bits; bit < bytes.length * 8; bit++) {
                bytes[bit / 8] &= (byte) ~(0x80 >> (bit % 8));
            }
            try {
                return new Cidr(new Ip(InetAddress.getByAddress(bytes)), bits);
            } catch (UnknownHostException e) {
                throw new IllegalStateException("an address of " + bytes.length + " bytes", e);
            }
        }

        private boolean contains(Cidr other) {
            return other.bits >= bits
                    && masked().equals(new Cidr(other.address, bits).masked())
                    && other.address.address().getAddress().length
                            == address.address().getAddress().length;
        }

        private boolean contains(Ip other) {
            int all = other.address().getAddress().length * 8;
            return all == address.address().getAddress().length * 8 && contains(new Cidr(other, all));
        }

        /** Returns the functions of CIDR blocks. */
        public static FunctionLibrary functions() {
            CelType text = SimpleType.STRING;
            CelType bool = SimpleType.BOOL;
            return new FunctionLibrary()
                    .global("cidr", C, List.of(text), a -> parse((String) a[0]))
                    .global("isCIDR", bool, List.of(text), a -> isCidr((String) a[0]))
                    .global("string", text, List.of(C), a -> of(a[0]).address.text() + "/" + of(a[0]).bits)
                    .member("containsIP", bool, List.of(C, text), a -> of(a[0]).contains(Ip.parse((String) a[1])))
                    .member("containsIP", bool, List.of(C, KubernetesTypes.IP), a -> of(a[0]).contains((Ip) a[1]))
                    .member("containsCIDR", bool, List.of(C, text), a -> of(a[0]).contains(parse((String) a[1])))
                    .member("containsCIDR", bool, List.of(C, C), a -> of(a[0]).contains(of(a[1])))
                    .member("ip", KubernetesTypes.IP, List.of(C), a -> of(a[0]).address)
                    .member("masked", C, List.of(C), a -> of(a[0]).masked())
                    .member("prefixLength", SimpleType.INT, List.of(C), a -> (long) of(a[0]).bits);
        }

        private static boolean isCidr(String text) {
            try {
                parse(text);
                return true;
            } catch (FunctionException e) {
                return false;
            }
        }

        private static Cidr of(Object value) {
            return (Cidr) value;
        }
    }

    /**
     * A named string format. Mirrors {@code staging/src/k8s.io/apiserver/pkg/cel/library/format.go}, except for the messages
     * about strings that do not match.
     *
     * @param test accepts the strings that match
     */
    public record NamedFormat(String name, Predicate<String> test) {
        private static final CelType F = KubernetesTypes.FORMAT;
        private static final String LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
        private static final String LABEL_VALUE = "([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?";
        private static final Pattern UUID =
                Pattern.compile("(?i)[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}");

        private static final Map<String, NamedFormat> ALL = ImmutableMap.<String, NamedFormat>builder()
                .putAll(format("dns1123Label", LABEL, 63))
                .putAll(format("dns1123Subdomain", LABEL + "(\\." + LABEL + ")*", 253))
                .putAll(format("dns1035Label", "[a-z]([-a-z0-9]*[a-z0-9])?", 63))
                .putAll(format("dns1123LabelPrefix", LABEL + "-?", 63))
                .putAll(format("dns1123SubdomainPrefix", LABEL + "(\\." + LABEL + ")*-?", 253))
                .putAll(format("dns1035LabelPrefix", "[a-z]([-a-z0-9]*[a-z0-9])?-?", 63))
                .putAll(format("labelValue", LABEL_VALUE, 63))
                .putAll(format(
                        "qualifiedName",
                        "(" + LABEL + "(\\." + LABEL + ")*/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?",
                        317))
                .put("uri", new NamedFormat("uri", text -> {
                    try {
                        Url.parse(text);
                        return true;
                    } catch (FunctionException e) {
                        return false;
                    }
                }))
                .put("uuid", new NamedFormat("uuid", UUID.asMatchPredicate()))
                .putAll(format("byte", "([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?", Integer.MAX_VALUE))
                .putAll(format("date", "[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])", 10))
                .putAll(format(
                        "datetime",
                        "[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]+)?([Zz]|[+-][0-9]{2}:[0-9]{2})",
                        64))
                .buildOrThrow();

        private static Map<String, NamedFormat> format(String name, String regex, int length) {
            Predicate<String> shape = Pattern.compile(regex).asMatchPredicate();
            return Map.of(name, new NamedFormat(name, text -> text.length() <= length && shape.test(text)));
        }

        /** Returns the functions of formats. */
        public static FunctionLibrary functions() {
            FunctionLibrary set = new FunctionLibrary()
                    .global(
                            "format.named",
                            OptionalType.create(F),
                            List.of(SimpleType.STRING),
                            a -> Optional.ofNullable(ALL.get((String) a[0])))
                    .member(
                            "validate",
                            OptionalType.create(ListType.create(SimpleType.STRING)),
                            List.of(F, SimpleType.STRING),
                            a -> ((NamedFormat) a[0]).validate((String) a[1]));
            ALL.forEach((name, format) -> set.global("format." + name, F, List.of(), a -> format));
            return set;
        }

        private Optional<List<String>> validate(String text) {
            return test.test(text) ? Optional.empty() : Optional.of(List.of("must be a valid " + name));
        }
    }
}
