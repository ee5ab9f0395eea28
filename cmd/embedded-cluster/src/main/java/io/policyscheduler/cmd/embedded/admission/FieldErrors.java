package io.policyscheduler.cmd.embedded.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.base.Splitter;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ObjectKey.Names;
import io.policyscheduler.cmd.embedded.api.StatusError.Cause;
import io.policyscheduler.engine.cluster.release.Release;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The errors of an object's fields, in the order of their checks, and the checks that kinds share. Mirrors
 * {@code apimachinery/pkg/util/validation} and {@code field.ErrorList}.
 */
final class FieldErrors {
    static final String IP_RULE = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
    static final String CIDR_RULE = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";
    private static final String NAME = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
    private static final String NAME_RULE =
            "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric"
                    + " character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation"
                    + " is '" + NAME + "')";
    private static final String VALUE = "(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?";
    private static final String VALUE_RULE =
            "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must"
                    + " start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex"
                    + " used for validation is '" + VALUE + "')";
    private static final String SERVICE = "[a-z]([-a-z0-9]*[a-z0-9])?";
    private static final String SERVICE_RULE =
            "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic"
                    + " character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for"
                    + " validation is '"
                    + SERVICE + "')";
    private static final String KEY_RULE =
            "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or"
                    + " 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";
    private static final Pattern IPV4 =
            Pattern.compile("((25[0-5]|2[0-4][0-9]|1?[0-9]{1,2})\\.){3}(25[0-5]|2[0-4][0-9]|1?[0-9]{1,2})");
    private static final Pattern IPV6 = Pattern.compile("[0-9a-fA-F]{0,4}(:[0-9a-fA-F]{0,4}){2,7}");
    private static final int LONGEST_LABEL = 63;
    private static final int LONGEST_KEY = 253;
    private static final int LONGEST_PORT_NAME = 15;
    private static final int LAST_PORT = 65_535;

    private final List<Cause> causes;

    /** Adds errors to a list. */
    FieldErrors(List<Cause> causes) {
        this.causes = causes;
    }

    List<Cause> causes() {
        return causes;
    }

    void required(String path, String detail) {
        causes.add(Cause.required(path, detail));
    }

    void forbidden(String path, String detail) {
        causes.add(Cause.forbidden(path, detail));
    }

    void invalid(String path, String value, String detail) {
        causes.add(Cause.invalid(path, value, detail));
    }

    /** An error with a value that the message does not quote. */
    void invalidValue(String path, Object value, String detail) {
        causes.add(new Cause(path, "FieldValueInvalid", "Invalid value: " + value + ": " + detail));
    }

    void duplicate(String path, Object value) {
        causes.add(new Cause(path, "FieldValueDuplicate", "Duplicate value: " + value));
    }

    void notSupported(String path, String value, List<String> supported) {
        notSupportedValue(path, "\"" + value + "\"", supported);
    }

    /** An unsupported value that the message does not quote. */
    void notSupportedValue(String path, Object value, List<String> supported) {
        causes.add(new Cause(
                path,
                "FieldValueNotSupported",
                "Unsupported value: " + value + ": supported values: "
                        + supported.stream().map(text -> "\"" + text + "\"").collect(Collectors.joining(", "))));
    }

    /** Adds an error if the value is not one of the supported ones. */
    void oneOf(String path, String value, List<String> supported) {
        if (!supported.contains(value)) {
            notSupported(path, value, supported);
        }
    }

    void requireText(String path, JsonNode parent, String field) {
        if (Json.text(parent, field).isEmpty()) {
            required(path + "." + field, "");
        }
    }

    void notNegative(String path, JsonNode value) {
        if (value.asLong() < 0) {
            invalidValue(path, value.asLong(), "must be greater than or equal to 0");
        }
    }

    /** Adds each message about a value. */
    void all(String path, String value, List<String> messages) {
        messages.forEach(message -> invalid(path, value, message));
    }

    void labels(String path, JsonNode labels) {
        labels.properties().forEach(label -> {
            all(path, label.getKey(), qualifiedName(label.getKey()));
            String value = label.getValue().asText();
            all(path, value, labelValue(value));
        });
    }

    void port(String path, long number) {
        if (number < 1 || number > LAST_PORT) {
            invalidValue(path, number, "must be between 1 and 65535, inclusive");
        }
    }

    /** A port by number or name. */
    void portOrName(String path, JsonNode port) {
        if (port.isTextual()) {
            all(path, port.asText(), portName(port.asText()));
        } else {
            port(path, port.asLong());
        }
    }

    static List<String> qualifiedName(String name) {
        String[] parts = name.split("/", -1);
        List<String> messages = new ArrayList<>();
        if (parts.length > 2) {
            return List.of("a qualified name " + NAME_RULE
                    + " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')");
        }
        if (parts.length == 2) {
            if (parts[0].isEmpty()) {
                messages.add("prefix part must be non-empty");
            } else {
                subdomain(parts[0]).forEach(message -> messages.add("prefix part " + message));
            }
        }
        String last = parts[parts.length - 1];
        if (last.isEmpty()) {
            messages.add("name part must be non-empty");
        } else if (last.length() > LONGEST_LABEL) {
            messages.add("name part must be no more than 63 characters");
        }
        if (!last.matches(NAME)) {
            messages.add("name part " + NAME_RULE);
        }
        return messages;
    }

    static List<String> labelValue(String value) {
        return requireForm(value, VALUE, VALUE_RULE, LONGEST_LABEL);
    }

    static List<String> label(String name) {
        return requireForm(name, "[a-z0-9]([-a-z0-9]*[a-z0-9])?", Names.LABEL_RULE, LONGEST_LABEL);
    }

    static List<String> subdomain(String name) {
        String label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
        return requireForm(name, label + "(\\." + label + ")*", Names.SUBDOMAIN_RULE, LONGEST_KEY);
    }

    static List<String> serviceName(String name) {
        return requireForm(name, SERVICE, SERVICE_RULE, LONGEST_LABEL);
    }

    private static List<String> requireForm(String text, String form, String rule, int longest) {
        List<String> messages = new ArrayList<>();
        if (text.length() > longest) {
            messages.add("must be no more than " + longest + " characters");
        }
        if (!text.matches(form)) {
            messages.add(rule);
        }
        return messages;
    }

    /** A segment of a path, as the names of roles are. */
    static List<String> pathSegment(String name) {
        List<String> messages = new ArrayList<>();
        if (name.equals(".") || name.equals("..")) {
            return List.of("may not be '" + name + "'");
        }
        for (String illegal : List.of("/", "%")) {
            if (name.contains(illegal)) {
                messages.add("may not contain '" + illegal + "'");
            }
        }
        return messages;
    }

    /** A key of a ConfigMap or a Secret. */
    static List<String> configKey(String key) {
        List<String> messages = new ArrayList<>(requireForm(key, "[-._a-zA-Z0-9]+", KEY_RULE, LONGEST_KEY));
        if (key.equals(".")) {
            messages.add("must not be '.'");
        } else if (key.equals("..")) {
            messages.add("must not be '..'");
        } else if (key.startsWith("..")) {
            messages.add("must not start with '..'");
        }
        return messages;
    }

    static List<String> portName(String name) {
        List<String> messages = new ArrayList<>();
        if (name.length() > LONGEST_PORT_NAME) {
            messages.add("must be no more than 15 characters");
        }
        if (!name.matches("[-a-z0-9]+")) {
            messages.add("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
        }
        if (!name.matches(".*[a-z].*")) {
            messages.add("must contain at least one letter or number (a-z, 0-9)");
        }
        if (name.contains("--")) {
            messages.add("must not contain consecutive hyphens");
        }
        if (name.startsWith("-") || name.endsWith("-")) {
            messages.add("must not begin or end with a hyphen");
        }
        return messages;
    }

    static boolean isIp(String text) {
        return IPV4.matcher(text).matches()
                || (IPV6.matcher(text).matches()
                        && (text.contains("::") ? text.split("::", -1).length == 2 : text.split(":", -1).length == 8));
    }

    static boolean isCidr(String text) {
        int slash = text.indexOf('/');
        if (slash < 0 || !isIp(text.substring(0, slash))) {
            return false;
        }
        String bits = text.substring(slash + 1);
        return bits.matches("[0-9]{1,3}") && Integer.parseInt(bits) <= (text.contains(":") ? 128 : 32);
    }

    /** Returns whether a range of IPv4 addresses is inside another one and smaller; ranges of IPv6 count as inside. */
    static boolean isStrictSubnet(String outer, String inner) {
        if (outer.contains(":") || inner.contains(":")) {
            return true;
        }
        int outerBits = Integer.parseInt(outer.substring(outer.indexOf('/') + 1));
        int innerBits = Integer.parseInt(inner.substring(inner.indexOf('/') + 1));
        long mask = outerBits == 0 ? 0 : -1L << (32 - outerBits);
        return innerBits > outerBits && (number(outer) & mask) == (number(inner) & mask);
    }

    private static long number(String range) {
        long number = 0;
        for (String part : Splitter.on('.').split(range.substring(0, range.indexOf('/')))) {
            number = number << 8 | Long.parseLong(part);
        }
        return number;
    }

    /** The error of an IP address that is not of a node or service, or is invalid. */
    void nonSpecialIp(String path, String ip) {
        if (!isIp(ip)) {
            invalid(path, ip, "must be a valid IP address");
        } else if (ip.equals("0.0.0.0") || ip.equals("::")) {
            invalid(path, ip, "may not be unspecified (0.0.0.0)");
        } else if (ip.startsWith("127.") || ip.equals("::1")) {
            invalid(path, ip, "may not be in the loopback range (127.0.0.0/8)");
        } else if (ip.startsWith("169.254.") || ip.toLowerCase(Locale.ROOT).startsWith("fe80:")) {
            invalid(path, ip, "may not be in the link-local range (169.254.0.0/16)");
        } else if (ip.startsWith("224.0.0.") || ip.toLowerCase(Locale.ROOT).startsWith("ff02:")) {
            invalid(path, ip, "may not be in the link-local multicast range (224.0.0.0/24)");
        }
    }

    /**
     * The messages of validation that later releases word in another way. Validation itself writes those of 1.20. The releases are those
     * with recorded responses, 1.34 and 1.36; the change itself may be older.
     */
    static final class ReleaseMessages {
        private static final Pattern LABEL =
                Pattern.compile("Invalid value: \"([^\"]*)\": " + Pattern.quote(Names.LABEL_RULE));

        private static final Pattern DRIVER =
                Pattern.compile("spec\\.attacher|spec\\.drivers\\[\\d+]\\.name|.*csi\\.driver");

        /**
         * A change of a part of messages.
         *
         * @param since the first minor release with it
         * @param fields a pattern of the paths that it is about
         */
        private record Change(int since, Pattern fields, String before, String after) {
            static Change of(int since, String before, String after) {
                return new Change(since, Pattern.compile(".*"), before, after);
            }
        }

        private static final List<Change> CHANGES = List.of(
                Change.of(34, ": kind must not be empty", ": must not be empty"),
                Change.of(34, ": name must not be empty", ": must not be empty"),
                Change.of(34, ": uid must not be empty", ": must not be empty"),
                Change.of(34, "at least one letter or number (a-z, 0-9)", "at least one letter (a-z)"),
                Change.of(34, "must be valid IP address", FieldErrors.IP_RULE),
                Change.of(34, "not a valid CIDR", FieldErrors.CIDR_RULE),
                Change.of(34, "range (127.0.0.0/8)", "range (127.0.0.0/8, ::1/128)"),
                Change.of(34, "range (169.254.0.0/16)", "range (169.254.0.0/16, fe80::/10)"),
                Change.of(34, "range (224.0.0.0/24)", "range (224.0.0.0/24, ff02::/10)"),
                Change.of(
                        36, "`configMapKeyRef` or `secretKeyRef`", "`configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"),
                new Change(
                        36,
                        Pattern.compile(".*([lL]abels|nodeSelector)"),
                        "a qualified name must consist",
                        "a valid label key must consist"),
                new Change(36, Pattern.compile(".*[lL]abels"), "no more than 63 characters", "no more than 63 bytes"));

        private ReleaseMessages() {}

        /** Returns the errors with the messages of a release. */
        static List<Cause> of(List<Cause> causes, Release release) {
            return causes.stream()
                    .filter(cause -> !release.atLeast(36) || !isOfMissingDriver(cause, causes))
                    .map(cause -> of(cause, release))
                    .toList();
        }

        /** Later releases do not validate the form of the name of a driver that is missing. */
        private static boolean isOfMissingDriver(Cause cause, List<Cause> causes) {
            return DRIVER.matcher(cause.field()).matches()
                    && cause.message().startsWith("Invalid value: \"\": ")
                    && causes.stream()
                            .anyMatch(other -> other.field().equals(cause.field())
                                    && other.reason().equals("FieldValueRequired"));
        }

        private static Cause of(Cause cause, Release release) {
            String message = cause.message();
            for (Change change : CHANGES) {
                if (release.atLeast(change.since())
                        && change.fields().matcher(cause.field()).matches()) {
                    message = message.replace(change.before(), change.after());
                }
            }
            Matcher label = LABEL.matcher(message);
            if (release.atLeast(34) && label.matches() && Names.isSubdomain(label.group(1))) {
                message = "Invalid value: \"" + label.group(1) + "\": must not contain dots";
            }
            // The path of one secret had a space.
            String field = release.atLeast(34) ? cause.field().replace("Ref .", "Ref.") : cause.field();
            return new Cause(field, cause.reason(), message);
        }
    }
}
