package io.policyscheduler.framework.profile;

import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.framework.profile.ReleaseRules.Later;
import io.policyscheduler.framework.profile.ReleaseRules.V1_17;

/** The two families of algorithms, each with the rules of the releases that it comes from. */
public enum Family {
    /** Kubernetes 1.17, for policies and algorithm providers. */
    LEGACY(new V1_17()),
    /** Current releases, for profiles of plugins. */
    MODERN(new Later(Release.NEWEST));

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
        return this == MODERN && !release.equals(Release.NEWEST) ? new Later(release) : rules;
    }
}
