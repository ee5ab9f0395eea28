package io.policyscheduler.cmd.kube.watch;

/**
 * The highest resourceVersion seen of a resource since it was listed. Tells when a server's versions have started over, as
 * after etcd was restored: its watches are silent then until it has caught up. Versions that are not decimal numbers tell
 * nothing.
 */
final class VersionHigh {
    private static final int MAX_DIGITS = 18;

    private long highest = -1;

    /** A list has told everything up to this version. */
    void listed(String version) {
        highest = number(version);
    }

    void saw(String version) {
        highest = Math.max(highest, number(version));
    }

    /** Whether a server that is at this version was further once. */
    boolean isAbove(String version) {
        long number = number(version);
        return number >= 0 && number < highest;
    }

    /** The version as a number; negative when it is none. */
    static long number(String version) {
        boolean isNumber = !version.isEmpty()
                && version.length() <= MAX_DIGITS
                && version.chars().allMatch(c -> c >= '0' && c <= '9');
        return isNumber ? Long.parseLong(version) : -1;
    }
}
