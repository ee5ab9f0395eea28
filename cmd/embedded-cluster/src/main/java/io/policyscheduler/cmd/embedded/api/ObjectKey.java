package io.policyscheduler.cmd.embedded.api;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Comparator;
import java.util.Random;
import java.util.regex.Pattern;

/**
 * Namespace and name; the order is that of lists.
 *
 * @param namespace empty for objects outside namespaces
 * @param name object name
 */
public record ObjectKey(String namespace, String name) implements Comparable<ObjectKey> {
    private static final Comparator<ObjectKey> ORDER =
            Comparator.comparing(ObjectKey::namespace).thenComparing(ObjectKey::name);

    public static ObjectKey of(JsonNode object) {
        JsonNode metadata = object.path("metadata");
        return new ObjectKey(Json.text(metadata, "namespace"), Json.text(metadata, "name"));
    }

    @Override
    public int compareTo(ObjectKey other) {
        return ORDER.compare(this, other);
    }

    /** Forms of object names (apimachinery util/validation) and generated names. */
    public static final class Names {
        private static final String LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
        public static final String LABEL_RULE =
                "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or"
                        + " '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used"
                        + " for validation is '" + LABEL + "')";
        public static final String SUBDOMAIN_RULE =
                "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric"
                        + " characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com',"
                        + " regex used for validation is '" + LABEL + "(\\." + LABEL + ")*')";
        private static final Pattern LABEL_FORM = Pattern.compile(LABEL);
        private static final Pattern SUBDOMAIN_FORM = Pattern.compile(LABEL + "(\\." + LABEL + ")*");
        private static final String SUFFIX_LETTERS = "bcdfghjklmnpqrstvwxz2456789";
        private static final int LONGEST_PREFIX = 58;

        private Names() {}

        public static boolean isLabel(String name) {
            return name.length() <= 63 && LABEL_FORM.matcher(name).matches();
        }

        public static boolean isSubdomain(String name) {
            return name.length() <= 253 && SUBDOMAIN_FORM.matcher(name).matches();
        }

        public static String generate(String prefix, Random random) {
            StringBuilder name = new StringBuilder(prefix.substring(0, Math.min(prefix.length(), LONGEST_PREFIX)));
            for (int i = 0; i < 5; i++) {
                name.append(SUFFIX_LETTERS.charAt(random.nextInt(SUFFIX_LETTERS.length())));
            }
            return name.toString();
        }
    }
}
