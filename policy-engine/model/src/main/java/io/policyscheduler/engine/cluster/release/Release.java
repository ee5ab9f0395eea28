package io.policyscheduler.engine.cluster.release;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A minor release of Kubernetes: of the cluster, or of a scheduler to migrate to.
 *
 * @param minor the number after {@code 1.}
 */
public record Release(int minor) implements Comparable<Release> {
    private static final Pattern TEXT = Pattern.compile("v?1\\.(\\d{1,3})(\\.\\d+)?");
    private static final Pattern VERSION = Pattern.compile("v?1\\.(\\d{1,3})(\\D.*)?");

    /** The release of the policy semantics of this program. */
    public static final Release V1_17 = new Release(17);

    /** The release of the recordings that {@code replay --mode modern} reads. */
    public static final Release V1_34 = new Release(34);

    private static final int NEWEST_MINOR = 36;

    /** The newest supported release. */
    public static final Release NEWEST = new Release(NEWEST_MINOR);

    /** The text of {@link #NEWEST}, for help texts in annotations, which must be constants. */
    public static final String NEWEST_TEXT = "1." + NEWEST_MINOR;

    /**
     * Parses a release such as {@code 1.29}; a prefix {@code v} and a patch version are allowed.
     *
     * @throws IllegalArgumentException with a message for users if the text is invalid
     */
    public static Release parse(String text) {
        Matcher matcher = TEXT.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("\"" + text + "\" is not a Kubernetes release such as 1.29");
        }
        return new Release(Integer.parseInt(matcher.group(1)));
    }

    /** The release of a version such as {@code v1.29.4-gke.100} or {@code v1.17.17+k3s1}; empty for other texts. */
    public static Optional<Release> ofVersion(String version) {
        Matcher matcher = VERSION.matcher(version);
        return matcher.matches() ? Optional.of(new Release(Integer.parseInt(matcher.group(1)))) : Optional.empty();
    }

    /** Whether this is {@code 1.minor} or newer. */
    public boolean atLeast(int otherMinor) {
        return minor >= otherMinor;
    }

    @Override
    public int compareTo(Release other) {
        return Integer.compare(minor, other.minor);
    }

    /** The release as {@code 1.29}. */
    @Override
    public String toString() {
        return "1." + minor;
    }
}
