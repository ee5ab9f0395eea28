package io.policyscheduler.engine.cluster.selector;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The validation of label keys, label values, and selector requirements. Mirrors {@code apimachinery/pkg/util/validation} and
 * {@code labels.NewRequirement}.
 */
public final class LabelSyntax {
    private static final int NAME_LIMIT = 63;
    private static final int PREFIX_LIMIT = 253;

    private LabelSyntax() {}

    /** True for an empty value or up to 63 characters {@code [A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?}. */
    public static boolean isLabelValue(String value) {
        return value.isEmpty() || isName(value);
    }

    /** True for {@code [prefix/]name} where prefix is a DNS-1123 subdomain. */
    public static boolean isQualifiedName(String name) {
        int slash = name.indexOf('/');
        if (slash < 0) {
            return isName(name);
        }
        return isDnsSubdomain(name.substring(0, slash)) && isName(name.substring(slash + 1));
    }

    /** True for lower-case dotted labels, up to 253 characters. */
    public static boolean isDnsSubdomain(String text) {
        if (text.isEmpty() || text.length() > PREFIX_LIMIT) {
            return false;
        }
        boolean wordStart = true;
        char previous = '.';
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean alphanumeric = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
            if (c == '.') {
                if (wordStart || previous == '-') {
                    return false;
                }
                wordStart = true;
            } else if (c == '-') {
                if (wordStart) {
                    return false;
                }
            } else if (alphanumeric) {
                wordStart = false;
            } else {
                return false;
            }
            previous = c;
        }
        return !wordStart && previous != '-';
    }

    private static boolean isName(String text) {
        int length = text.length();
        if (length == 0
                || length > NAME_LIMIT
                || !isAlphanumeric(text.charAt(0))
                || !isAlphanumeric(text.charAt(length - 1))) {
            return false;
        }
        for (int i = 1; i < length - 1; i++) {
            char c = text.charAt(i);
            if (!isAlphanumeric(c) && c != '-' && c != '_' && c != '.') {
                return false;
            }
        }
        return true;
    }

    private static boolean isAlphanumeric(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    }

    /** A signed 64-bit decimal, or null: an optional sign and ASCII digits only. */
    public static @Nullable Long parseInt64(String text) {
        int start = !text.isEmpty() && (text.charAt(0) == '-' || text.charAt(0) == '+') ? 1 : 0;
        if (start == text.length()) {
            return null;
        }
        for (int i = start; i < text.length(); i++) {
            if (text.charAt(i) < '0' || text.charAt(i) > '9') {
                return null;
            }
        }
        try {
            return Long.valueOf(text);
        } catch (NumberFormatException outOfRange) {
            return null;
        }
    }

    static @Nullable String requirementError(String key, String operator, List<String> values) {
        if (!isQualifiedName(key)) {
            return "invalid label key \"" + key + "\"";
        }
        switch (operator) {
            case "In", "NotIn" -> {
                if (values.isEmpty()) {
                    return "for 'in', 'notin' operators, values set can't be empty";
                }
            }
            case "Exists", "DoesNotExist" -> {
                if (!values.isEmpty()) {
                    return "values set must be empty for exists and does not exist";
                }
            }
            case "Gt", "Lt" -> {
                if (values.size() != 1) {
                    return "for 'Gt', 'Lt' operators, exactly one value is required";
                }
                if (parseInt64(values.get(0)) == null) {
                    return "for 'Gt', 'Lt' operators, the value must be an integer";
                }
            }
            default -> {}
        }
        for (String value : values) {
            if (!isLabelValue(value)) {
                return "invalid label value: \"" + value + "\"";
            }
        }
        return null;
    }
}
