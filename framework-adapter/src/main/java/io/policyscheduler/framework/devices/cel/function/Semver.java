package io.policyscheduler.framework.devices.cel.function;

import com.google.common.base.CharMatcher;
import com.google.common.base.Splitter;
import dev.cel.common.types.CelType;
import dev.cel.common.types.SimpleType;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;

/**
 * A semantic version in expressions. Mirrors {@code staging/src/k8s.io/apiserver/pkg/cel/library/semverlib.go}, which reads as
 * {@code github.com/blang/semver/v4} does.
 *
 * @param preRelease its parts; empty for a release
 */
public record Semver(long major, long minor, long patch, List<String> preRelease) implements Comparable<Semver> {
    private static final CelType V = ValueTypes.SEMVER;
    private static final CharMatcher DIGITS = CharMatcher.inRange('0', '9');
    private static final CharMatcher WORD = DIGITS.or(CharMatcher.inRange('a', 'z'))
            .or(CharMatcher.inRange('A', 'Z'))
            .or(CharMatcher.is('-'));
    private static final BigInteger MAX = BigInteger.ONE.shiftLeft(64).subtract(BigInteger.ONE);

    /** A version. */
    public Semver {
        preRelease = List.copyOf(preRelease);
    }

    /** @throws FunctionFailure when the text is no version */
    public static Semver parse(String text) {
        if (text.isEmpty()) {
            throw new FunctionFailure("Version string empty");
        }
        List<String> parts = Splitter.on('.').limit(3).splitToList(text);
        if (parts.size() != 3) {
            throw new FunctionFailure("No Major.Minor.Patch elements found");
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
            throw new FunctionFailure("Invalid character(s) found in " + name + " number \"" + digits + "\"");
        }
        if (digits.length() > 1 && digits.charAt(0) == '0') {
            throw new FunctionFailure(capital + " number must not contain leading zeroes \"" + digits + "\"");
        }
        if (digits.isEmpty()) {
            throw new FunctionFailure("strconv.ParseUint: parsing \"\": invalid syntax");
        }
        if (new BigInteger(digits).compareTo(MAX) > 0) {
            throw new FunctionFailure("strconv.ParseUint: parsing \"" + digits + "\": value out of range");
        }
        return Long.parseUnsignedLong(digits);
    }

    private static void checkPreRelease(String part) {
        if (part.isEmpty()) {
            throw new FunctionFailure("Prerelease is empty");
        }
        if (DIGITS.matchesAllOf(part)) {
            if (part.length() > 1 && part.charAt(0) == '0') {
                throw new FunctionFailure(
                        "Numeric PreRelease version must not contain leading zeroes \"" + part + "\"");
            }
        } else if (!WORD.matchesAllOf(part)) {
            throw new FunctionFailure("Invalid character(s) found in prerelease \"" + part + "\"");
        }
    }

    private static void checkBuild(String part) {
        if (part.isEmpty()) {
            throw new FunctionFailure("Build meta data is empty");
        }
        if (!WORD.matchesAllOf(part)) {
            throw new FunctionFailure("Invalid character(s) found in build meta data \"" + part + "\"");
        }
    }

    /** A version without leading zeros and {@code v}, and with what is missing of its three numbers. */
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

    /** The functions of versions. */
    public static FunctionSet functions() {
        return new FunctionSet()
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
        } catch (FunctionFailure e) {
            return false;
        }
    }

    private static Semver of(Object value) {
        return (Semver) value;
    }
}
