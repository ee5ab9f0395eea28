package io.policyscheduler.cmd.kube.watch;

/**
 * How far a reflector's listener has been told of its resource, and so from where the next list or watch goes on. Written by the
 * reflector's thread only; {@link #path()}, {@link #resourceVersion()} and {@link #isCurrent()} are for any thread.
 */
final class ReflectorState {
    private final HighestVersion versionHigh = new HighestVersion();

    private volatile String path;
    private volatile String resourceVersion = "";
    /** What storage had shown before a list was taken that may be older; negative for none. */
    private volatile long owed = -1;

    private boolean listed;
    private String listFrom = "";
    private int goneInARow;
    private boolean memoryInDoubt;

    /** @param path URL path of the collection, empty when the server does not have it */
    ReflectorState(String path) {
        this.path = path;
    }

    /** URL path of the collection; empty while the server does not have the resource. */
    String path() {
        return path;
    }

    /** The version up to which the listener has been told everything; empty before the first list. */
    String resourceVersion() {
        return resourceVersion;
    }

    /** Whether the listener knows everything that storage had when it was listed first. */
    boolean isCurrent() {
        String version = resourceVersion;
        return !version.isEmpty() && HighestVersion.number(version) >= owed;
    }

    /** The list that comes next may be older than this, which storage has shown. */
    void owes(String version) {
        owed = HighestVersion.number(version);
    }

    /** Whether the listener has the whole state, so that a watch is enough. */
    boolean isListed() {
        return listed;
    }

    /**
     * Where the next list may start: "" the latest, else not older than this. Never "0", any state that the server has at hand:
     * after a restart it could lack what the process before has done. Only where somebody waits until {@link #isCurrent()} is a first
     * list such a state.
     */
    String listFrom() {
        return listFrom;
    }

    /** How often in a row a watch was gone before it had brought anything. */
    int goneInARow() {
        return goneInARow;
    }

    /** The resource is elsewhere, under versions of its own. */
    void moveTo(String newPath) {
        path = newPath;
        resourceVersion = "";
        owed = -1;
        listFrom = "";
        listed = false;
    }

    /** The server was at this version once. */
    void shown(String version) {
        listFrom = version;
    }

    /** A whole list has arrived; the listener is told next. */
    void arrived(String version) {
        listFrom = version;
        versionHigh.listed(version);
    }

    /** The listener has been told a whole list. */
    void listed(String version) {
        resourceVersion = version;
        listed = true;
        memoryInDoubt = false;
    }

    /** The listener has been told all events up to this version. */
    void reached(String version) {
        resourceVersion = version;
        listFrom = version;
        versionHigh.saw(version);
    }

    /** Whether a server that is at this version was further once. */
    boolean isPast(String version) {
        return versionHigh.isAbove(version);
    }

    /** What the listener has is in doubt. */
    void listAgain() {
        listed = false;
    }

    /** What the listener has is in doubt, and what the server has in memory is, too. */
    void listFromStorage() {
        listed = false;
        listFrom = "";
        memoryInDoubt = true;
    }

    /** Whether the next list may come from what the server has in memory. */
    boolean trustsMemory() {
        return !memoryInDoubt;
    }

    /**
     * The server cannot watch from here any more.
     *
     * @param progress whether the watch had brought something
     */
    void gone(boolean progress) {
        listed = false;
        listFrom = "";
        goneInARow = progress ? 0 : goneInARow + 1;
    }

    /** A watch works. */
    void healthy() {
        goneInARow = 0;
    }

    /**
     * The highest resourceVersion seen of a resource since it was listed. Tells when a server's versions have started over, as
     * after etcd was restored: its watches are silent then until it has caught up. Versions that are not decimal numbers tell
     * nothing.
     */
    static final class HighestVersion {
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
}
