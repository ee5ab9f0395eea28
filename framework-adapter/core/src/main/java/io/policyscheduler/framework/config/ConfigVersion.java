package io.policyscheduler.framework.config;

import io.policyscheduler.engine.cluster.release.Release;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** The API versions of {@code kubescheduler.config.k8s.io}, oldest first. */
public enum ConfigVersion {
    /** 1.12 to 1.18, with the semantics of 1.17. Has no profiles; a policy or provider selects the algorithm. */
    V1ALPHA1("v1alpha1", 12, 18),
    /** 1.18 only. Profiles; the plugins of a provider are the defaults. */
    V1ALPHA2("v1alpha2", 18, 18),
    /** 1.19 to 1.22, with the semantics of 1.21. */
    V1BETA1("v1beta1", 19, 22),
    /** 1.22 to 1.27, with the defaults of 1.22 and the fields that were added later. */
    V1BETA2("v1beta2", 22, 27),
    /** 1.23 to 1.28, with the defaults of 1.23 and the fields that were added later. */
    V1BETA3("v1beta3", 23, 28),
    /** Since 1.25, with the semantics of 1.34. */
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

    /** The first release that supports this version. */
    public Release first() {
        return new Release(first);
    }

    /** The last release that supports this version; {@link Integer#MAX_VALUE} as minor version if none has removed it. */
    public Release last() {
        return new Release(last);
    }

    /** Whether the kube-scheduler of a release supports this version. */
    public boolean isReadBy(Release release) {
        return release.atLeast(first) && release.minor() <= last;
    }

    /**
     * The release whose semantics apply to profiles of this version in a cluster: the release of the cluster, or the nearest
     * release that supports the version. {@code v1alpha1} returns the newest release, because its policies always follow 1.17.
     */
    public Release decidingIn(Release cluster) {
        if (this == V1ALPHA1) {
            return Release.NEWEST;
        }
        Release oldest = first().compareTo(cluster) > 0 ? first() : cluster;
        return oldest.compareTo(Release.NEWEST) > 0 ? Release.NEWEST : oldest;
    }

    /** The newest version that a release supports. Releases before 1.12 count as 1.12. */
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

    /** The {@code apiVersion} in a file, e.g. {@code kubescheduler.config.k8s.io/v1}. */
    public String apiVersion() {
        return GROUP + "/" + version;
    }

    /** Whether this version equals the given one or is newer. */
    public boolean atLeast(ConfigVersion other) {
        return compareTo(other) >= 0;
    }

    /** The apiVersion of 1.9 to 1.11, which has the fields of {@code v1alpha1}. */
    public static final String COMPONENTCONFIG = "componentconfig/v1alpha1";

    /** The version of an apiVersion; {@code v1alpha1} for {@link #COMPONENTCONFIG}. */
    public static Optional<ConfigVersion> of(String apiVersion) {
        if (apiVersion.equals(COMPONENTCONFIG)) {
            return Optional.of(V1ALPHA1);
        }
        return Arrays.stream(values())
                .filter(version -> version.apiVersion().equals(apiVersion))
                .findFirst();
    }

    /** Every supported apiVersion, newest last. */
    public static List<String> apiVersions() {
        return Arrays.stream(values()).map(ConfigVersion::apiVersion).toList();
    }
}
