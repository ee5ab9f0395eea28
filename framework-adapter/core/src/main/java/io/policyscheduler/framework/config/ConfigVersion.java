package io.policyscheduler.framework.config;

import io.policyscheduler.engine.cluster.release.Release;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** The API versions of {@code kubescheduler.config.k8s.io}, oldest first. */
public enum ConfigVersion {
    /** 1.12 to 1.18; here as 1.17 reads it. Without profiles; a policy or provider names the algorithm. */
    V1ALPHA1("v1alpha1", 12, 18),
    /** 1.18 only. Profiles; a provider's plugins are the defaults. */
    V1ALPHA2("v1alpha2", 18, 18),
    /** 1.19 to 1.22; here as 1.21 reads it. */
    V1BETA1("v1beta1", 19, 22),
    /** 1.22 to 1.27; defaults of 1.22, and the fields that came later. */
    V1BETA2("v1beta2", 22, 27),
    /** 1.23 to 1.28; defaults of 1.23, and the fields that came later. */
    V1BETA3("v1beta3", 23, 28),
    /** Since 1.25; here as 1.34 reads it. */
    V1("v1", 25, Integer.MAX_VALUE);

    /** The API group. */
    public static final String GROUP = "kubescheduler.config.k8s.io";
    /** The kind of every version. */
    public static final String KIND = "KubeSchedulerConfiguration";

    private final String version;
    private final int first;
    private final int last;

    ConfigVersion(String version, int first, int last) {
        this.version = version;
        this.first = first;
        this.last = last;
    }

    /** The first release that reads it. */
    public Release first() {
        return new Release(first);
    }

    /** The last release that reads it; beyond all releases while there is none. */
    public Release last() {
        return new Release(last);
    }

    /** Whether the kube-scheduler of a release reads it. */
    public boolean isReadBy(Release release) {
        return release.atLeast(first) && release.minor() <= last;
    }

    /**
     * The release as which profiles of this version decide in a cluster: that of the cluster, or the nearest supported one that
     * is not older than the version. The newest one for {@code v1alpha1}, whose policies decide as 1.17.
     */
    public Release decidingIn(Release cluster) {
        if (this == V1ALPHA1) {
            return Release.NEWEST;
        }
        Release oldest = first().compareTo(cluster) > 0 ? first() : cluster;
        return oldest.compareTo(Release.NEWEST) > 0 ? Release.NEWEST : oldest;
    }

    /** The newest version that a release reads, which is the one to use there; releases before 1.12 are like 1.12. */
    public static ConfigVersion usual(Release release) {
        ConfigVersion usual = V1ALPHA1;
        for (ConfigVersion version : values()) {
            usual = release.atLeast(version.first) ? version : usual;
        }
        return usual;
    }

    /** The bare version, e.g. {@code v1beta3}. */
    public String version() {
        return version;
    }

    /** As in a file, e.g. {@code kubescheduler.config.k8s.io/v1}. */
    public String apiVersion() {
        return GROUP + "/" + version;
    }

    /** Whether this version is the given one or came after it. */
    public boolean atLeast(ConfigVersion other) {
        return compareTo(other) >= 0;
    }

    /** The apiVersion of 1.9 to 1.11, whose fields are those of {@code v1alpha1}. */
    public static final String COMPONENTCONFIG = "componentconfig/v1alpha1";

    /** The version that an apiVersion names; {@code v1alpha1} for {@link #COMPONENTCONFIG}. */
    public static Optional<ConfigVersion> of(String apiVersion) {
        if (apiVersion.equals(COMPONENTCONFIG)) {
            return Optional.of(V1ALPHA1);
        }
        return Arrays.stream(values())
                .filter(version -> version.apiVersion().equals(apiVersion))
                .findFirst();
    }

    /** Every apiVersion that can be read, newest last. */
    public static List<String> apiVersions() {
        return Arrays.stream(values()).map(ConfigVersion::apiVersion).toList();
    }
}
