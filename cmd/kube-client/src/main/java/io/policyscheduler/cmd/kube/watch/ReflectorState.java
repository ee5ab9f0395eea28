package io.policyscheduler.cmd.kube.watch;

/**
 * The progress of a reflector's listener, and thus the start of the next list or watch. Written by the reflector's thread only;
 * {@link #path()}, {@link #resourceVersion()} and {@link #isCurrent()} are for any thread.
 */
final class ReflectorState {
    private final HighestVersion highestVersion = new HighestVersion();

    private volatile String path;
    private volatile String resourceVersion = "";
    /** The version of etcd before a list that may be older; negative for none. */
    private volatile long requiredVersion = -1;

    private boolean listed;
    private String listFrom = "";
    private int consecutiveGone;
    private boolean watchCacheSuspect;
    private boolean unknownEventSeen;

    /** @param path URL path of the collection; empty if the server does not have it */
    ReflectorState(String path) {
        this.path = path;
    }

    /** URL path of the collection; empty while the server does not have the resource. */
    String path() {
        return path;
    }

    /** The version of the last event that the listener has received; empty before the first list. */
    String resourceVersion() {
        return resourceVersion;
    }

    /** Whether the listener has received everything that was in etcd at the first list. */
    boolean isCurrent() {
        String version = resourceVersion;
        return !version.isEmpty() && HighestVersion.number(version) >= requiredVersion;
    }

    /** The next list may be older than this version, which etcd returned. */
    void requireVersion(String version) {
        requiredVersion = HighestVersion.number(version);
    }

    /** Whether the listener has the whole state, so that a watch is enough. */
    boolean isListed() {
        return listed;
    }

    /**
     * The version of the next list: "" for the latest, else not older than this. Never "0" (any cached state), which after a
     * restart could lack the writes of the previous process, except for a first list whose listener waits for
     * {@link #isCurrent()}.
     */
    String listFrom() {
        return listFrom;
    }

    /** Number of consecutive watches that ended before their first event. */
    int consecutiveGone() {
        return consecutiveGone;
    }

    /** The resource has moved to a path with other versions. */
    void moveTo(String newPath) {
        path = newPath;
        resourceVersion = "";
        requiredVersion = -1;
        listFrom = "";
        listed = false;
    }

    /** Records a version of the server. */
    void shown(String version) {
        listFrom = version;
    }

    /** A complete list has arrived; the listener is called next. */
    void arrived(String version) {
        listFrom = version;
        highestVersion.listed(version);
    }

    /** The listener has received a complete list. */
    void listed(String version) {
        resourceVersion = version;
        listed = true;
        watchCacheSuspect = false;
    }

    /** The listener has received all events up to this version. */
    void reached(String version) {
        resourceVersion = version;
        listFrom = version;
        highestVersion.saw(version);
    }

    /** Whether the server had a higher version before. */
    boolean isPast(String version) {
        return highestVersion.isAbove(version);
    }

    /** The state of the listener is unknown. */
    void listAgain() {
        listed = false;
    }

    /** The state of the listener is unknown, and the watch cache may be invalid, too. */
    void listFromStorage() {
        listed = false;
        listFrom = "";
        watchCacheSuspect = true;
    }

    /** Whether the next list may come from the watch cache. */
    boolean mayUseWatchCache() {
        return !watchCacheSuspect;
    }

    /**
     * The server cannot watch from this version any more.
     *
     * @param progress whether the watch had an event
     */
    void gone(boolean progress) {
        listed = false;
        listFrom = "";
        consecutiveGone = progress ? 0 : consecutiveGone + 1;
    }

    /** An event of an unknown type arrived. Returns whether it is the first one, because a server can send any number of them. */
    boolean isFirstUnknownEvent() {
        boolean isFirst = !unknownEventSeen;
        unknownEventSeen = true;
        return isFirst;
    }

    /** A watch works. */
    void healthy() {
        consecutiveGone = 0;
    }

    /**
     * The highest resourceVersion of a resource since its list. Detects that a server's versions have restarted, as after a
     * restore of etcd: its watches are silent until it has caught up. Versions that are not decimal numbers are ignored.
     */
    static final class HighestVersion {
        private static final int MAX_DIGITS = 18;

        private long highest = -1;

        /** Records the version of a list. */
        void listed(String version) {
            highest = number(version);
        }

        void saw(String version) {
            highest = Math.max(highest, number(version));
        }

        /** Whether the server had a higher version before. */
        boolean isAbove(String version) {
            long number = number(version);
            return number >= 0 && number < highest;
        }

        /** The version as a number; negative if it is not one. */
        static long number(String version) {
            boolean isNumber = !version.isEmpty()
                    && version.length() <= MAX_DIGITS
                    && version.chars().allMatch(c -> c >= '0' && c <= '9');
            return isNumber ? Long.parseLong(version) : -1;
        }
    }
}
