package io.policyscheduler.cmd.replay;

import java.util.Locale;

/** How the algorithms of a recording are run. */
public enum ReplayMode {
    /** Predicates and priorities as plain functions. */
    LEGACY,
    /** The same names as framework plugins. */
    FRAMEWORK,
    /** The plugins of current releases, for recordings of such a release. */
    MODERN;

    /** Key of the recorded outcome. */
    public String key() {
        return name().toLowerCase(Locale.ROOT);
    }
}
