package io.policyscheduler.cmd.embedded.api;

import io.policyscheduler.engine.cluster.release.Release;

/** The Kubernetes release whose discovery documents and API versions the embedded cluster serves. */
public enum ReleaseProfile {
    /** v1.17: policy/v1beta1 budgets, CSINodes also as v1beta1, events.k8s.io/v1beta1. */
    V1_17("17", "v1.17.17", "v1beta1", "Pod "),
    /** v1.34: everything at v1. */
    MODERN("34", "v1.34.1", "v1", "Pod was rejected: "),
    /** v1.35. */
    V1_35("35", "v1.35.0", "v1", "Pod was rejected: "),
    /** v1.36; its kubelets reject pods whose features the node does not declare. */
    V1_36("36", "v1.36.0", "v1", "Pod was rejected: ");

    private final String minor;
    private final String gitVersion;
    private final String policyVersion;
    private final String rejectionPrefix;

    ReleaseProfile(String minor, String gitVersion, String policyVersion, String rejectionPrefix) {
        this.minor = minor;
        this.gitVersion = gitVersion;
        this.policyVersion = policyVersion;
        this.rejectionPrefix = rejectionPrefix;
    }

    /** The release itself. */
    public Release release() {
        return new Release(Integer.parseInt(minor));
    }

    /** The minor version as {@code /version} gives it, for example {@code 34}. */
    public String minor() {
        return minor;
    }

    /** The full version, for example {@code v1.34.1}. */
    public String gitVersion() {
        return gitVersion;
    }

    /** The version of the policy group that this release serves: {@code v1} or {@code v1beta1}. */
    public String policyVersion() {
        return policyVersion;
    }

    /** What this release's kubelet writes in front of the reason for refusing a pod. */
    public String rejectionPrefix() {
        return rejectionPrefix;
    }
}
