package io.policyscheduler.framework.profile;

/** The two families of algorithms, each with the rules of the releases that it comes from. */
public enum Family {
    /** Kubernetes 1.17, for policies and algorithm providers. */
    LEGACY(new LegacyRules()),
    /** Current releases, for profiles of plugins. */
    MODERN(new ModernRules());

    private final ReleaseRules rules;

    Family(ReleaseRules rules) {
        this.rules = rules;
    }

    /** What the releases of the family do. */
    public ReleaseRules rules() {
        return rules;
    }
}
