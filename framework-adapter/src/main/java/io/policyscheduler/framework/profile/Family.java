package io.policyscheduler.framework.profile;

import io.policyscheduler.engine.cluster.release.Release;

/** The two families of algorithms, each with the rules of the releases that it comes from. */
public enum Family {
    /** Kubernetes 1.17, for policies and algorithm providers. */
    LEGACY(new LegacyRules()),
    /** Current releases, for profiles of plugins. */
    MODERN(new ModernRules(Release.NEWEST));

    private final ReleaseRules rules;

    Family(ReleaseRules rules) {
        this.rules = rules;
    }

    /** What the newest release of the family does. */
    public ReleaseRules rules() {
        return rules;
    }

    /** What a release does. */
    public ReleaseRules rules(Release release) {
        return this == MODERN && !release.equals(Release.NEWEST) ? new ModernRules(release) : rules;
    }
}
