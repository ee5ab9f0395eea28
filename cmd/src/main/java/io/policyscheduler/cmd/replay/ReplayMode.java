package io.policyscheduler.cmd.replay;

/** How the algorithms of a recording are run. */
public enum ReplayMode {
    /** Predicates and priorities as plain functions. */
    FUNCTIONS("legacy"),
    /** The same names as framework plugins. */
    FRAMEWORK("framework"),
    /** The plugins of current releases, for recordings of such a release. */
    MODERN("modern");

    private final String key;

    ReplayMode(String key) {
        this.key = key;
    }

    /** Key of the recorded outcome. */
    public String key() {
        return key;
    }
}
