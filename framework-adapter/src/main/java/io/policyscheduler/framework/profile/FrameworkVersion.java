package io.policyscheduler.framework.profile;

/**
 * Whose rules and texts the framework follows where releases differ: what a rejection before filtering means, in which words an
 * error is wrapped, whether a nominated node is tried first.
 */
public enum FrameworkVersion {
    /** Kubernetes 1.17, for policies and algorithm providers. */
    V1_17,
    /** Current releases, for profiles of plugins. */
    CURRENT
}
