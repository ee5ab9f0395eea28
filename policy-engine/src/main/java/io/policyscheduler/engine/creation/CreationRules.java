package io.policyscheduler.engine.creation;

import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.NewerField;
import io.policyscheduler.engine.cluster.release.Release;

/** The release-specific rules of an API server for new objects. Immutable. */
public final class CreationRules {
    private static final int NAMESPACE_LABEL = 21;
    private static final int NEWEST_DEFAULT_CLASS = 26;
    private static final int TEMPLATES_WITHOUT_HOST_PORTS = 28;
    private static final int SPREAD_KEYS_MERGED = 34;
    private static final int LIMITS_TOLD = 27;

    private final FeatureGates gates;

    private CreationRules(FeatureGates gates) {
        this.gates = gates;
    }

    /** The rules of the release of these gates, without what they leave out of account. */
    public static CreationRules of(FeatureGates gates) {
        return new CreationRules(gates);
    }

    /** The release whose rules hold. */
    public Release release() {
        return gates.release();
    }

    /** Whether pods have the field, so that something can be put into it. */
    boolean has(NewerField field) {
        return gates.honours(field);
    }

    /** Whether each namespace gets a label with its name. */
    boolean labelsNamespaces() {
        return release().atLeast(NAMESPACE_LABEL);
    }

    /** Whether the newest of several default StorageClasses is taken; a claim without a class is refused before. */
    boolean takesNewestDefaultClass() {
        return release().atLeast(NEWEST_DEFAULT_CLASS);
    }

    /** Whether the ports of templates with hostNetwork become ports of the host, too. */
    boolean fillsHostPortsOfTemplates() {
        return !release().atLeast(TEMPLATES_WITHOUT_HOST_PORTS);
    }

    /** Whether the refusal of a request above its limit says the limit. */
    boolean tellsLimits() {
        return release().atLeast(LIMITS_TOLD);
    }

    /** Whether label keys of spread constraints become requirements of their selectors. */
    boolean mergesSpreadKeys() {
        return release().atLeast(SPREAD_KEYS_MERGED) && has(NewerField.SPREAD_MATCH_LABEL_KEYS);
    }
}
