package io.policyscheduler.engine.document;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Names of resources, with the error texts of {@code k8s.io/apimachinery/pkg/util/validation}. */
public final class QualifiedNames {
    private static final String NAME_FORMAT = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
    private static final String SUBDOMAIN_FORMAT = "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
    private static final Pattern NAME = Pattern.compile(NAME_FORMAT);
    private static final Pattern SUBDOMAIN = Pattern.compile(SUBDOMAIN_FORMAT);
    private static final String NAME_RULE = "must consist of alphanumeric characters, '-', '_' or '.', and must start"
            + " and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for"
            + " validation is '" + NAME_FORMAT + "')";
    private static final String REQUESTS_PREFIX = "requests.";

    private QualifiedNames() {}

    /** The problems of a qualified name, empty if it is valid. */
    public static List<String> problems(String value) {
        List<String> problems = new ArrayList<>();
        String[] parts = value.split("/", -1);
        if (parts.length > 2) {
            problems.add("a qualified name " + NAME_RULE
                    + " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')");
            return problems;
        }
        if (parts.length == 2) {
            addPrefixProblems(parts[0], problems);
        }
        String name = parts[parts.length - 1];
        if (name.isEmpty()) {
            problems.add("name part must be non-empty");
        } else if (name.length() > 63) {
            problems.add("name part must be no more than 63 characters");
        }
        if (!NAME.matcher(name).matches()) {
            problems.add("name part " + NAME_RULE);
        }
        return problems;
    }

    private static void addPrefixProblems(String prefix, List<String> problems) {
        if (prefix.isEmpty()) {
            problems.add("prefix part must be non-empty");
            return;
        }
        if (prefix.length() > 253) {
            problems.add("prefix part must be no more than 253 characters");
        }
        if (!SUBDOMAIN.matcher(prefix).matches()) {
            problems.add("prefix part a DNS-1123 subdomain must consist of lower case alphanumeric characters, '-' or"
                    + " '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for"
                    + " validation is '" + SUBDOMAIN_FORMAT + "')");
        }
    }

    /** Whether a valid qualified name is an extended resource. */
    public static boolean isExtendedResource(String name) {
        return name.contains("/")
                && !name.contains("kubernetes.io/")
                && !name.startsWith(REQUESTS_PREFIX)
                && problems(REQUESTS_PREFIX + name).isEmpty();
    }

    private static final List<String> NATIVE_RESOURCES =
            List.of("cpu", "memory", "ephemeral-storage", "storage", "pods");

    /**
     * The native resource that a name without a domain probably refers to, if it is unknown; empty if none is near.
     *
     * @return null if nodes can have the resource
     */
    public static @Nullable String nativeResourceFor(String name) {
        boolean possible = name.contains("/")
                || NATIVE_RESOURCES.contains(name)
                || name.startsWith("hugepages-")
                || name.startsWith("attachable-volumes-");
        if (possible) {
            return null;
        }
        String lower = name.toLowerCase(Locale.ROOT).replace("mem", "memory").replace("memoryory", "memory");
        return NATIVE_RESOURCES.contains(lower) ? lower : "";
    }
}
