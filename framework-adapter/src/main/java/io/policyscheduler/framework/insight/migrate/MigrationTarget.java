package io.policyscheduler.framework.insight.migrate;

import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.framework.config.ConfigVersion;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What a migrated configuration is for.
 *
 * @param version of the configuration, {@code v1alpha2} or later
 * @param release that will read it, one that knows the version
 */
public record MigrationTarget(ConfigVersion version, Release release) {
    /** The versions that a policy can be migrated to, newest first. */
    public static final List<ConfigVersion> VERSIONS =
            List.of(ConfigVersion.V1, ConfigVersion.V1BETA3, ConfigVersion.V1BETA2, ConfigVersion.V1BETA1);

    /** @throws IllegalArgumentException with a message for users if the release does not read the version */
    public MigrationTarget {
        if (!version.atLeast(ConfigVersion.V1ALPHA2)) {
            throw notWritten(version);
        }
        if (!version.isReadBy(release)) {
            throw new IllegalArgumentException(unreadable(version, release));
        }
    }

    /**
     * A target that users can ask for.
     *
     * @param release null for the newest release for which the version is the one to use: 1.34 for {@code v1}, 1.24 for
     *     {@code v1beta3}, 1.22 for {@code v1beta2} and 1.21 for {@code v1beta1}, where later releases know a newer version
     * @throws IllegalArgumentException with a message for users if the version is none of {@link #VERSIONS}, or the release does not
     *     read it
     */
    public static MigrationTarget of(ConfigVersion version, @Nullable Release release) {
        if (!VERSIONS.contains(version)) {
            throw notWritten(version);
        }
        return new MigrationTarget(version, release == null ? usual(version) : release);
    }

    private static IllegalArgumentException notWritten(ConfigVersion version) {
        return new IllegalArgumentException("a policy cannot be migrated to " + version.version() + "; there are "
                + VERSIONS.stream().map(ConfigVersion::version).collect(Collectors.joining(", ")));
    }

    private static Release usual(ConfigVersion version) {
        return switch (version) {
            case V1BETA1 -> new Release(21);
            case V1BETA2 -> new Release(22);
            case V1BETA3 -> new Release(24);
            default -> Release.NEWEST;
        };
    }

    private static String unreadable(ConfigVersion version, Release release) {
        String readers =
                version == ConfigVersion.V1 ? "since " + version.first() : version.first() + " to " + version.last();
        String known = VERSIONS.stream()
                .filter(other -> other.isReadBy(release))
                .map(ConfigVersion::version)
                .collect(Collectors.joining(" or "));
        String wayOut = known.isEmpty() ? "; it runs the policy itself (--policy-config-file)" : "; it reads " + known;
        return "Kubernetes " + release + " does not read " + version.version() + " (" + readers + ")" + wayOut;
    }

    /** Whether the version still has the plugins of the first policies, such as NodeLabel and ServiceAffinity. */
    boolean hasOldPlugins() {
        return !version.atLeast(ConfigVersion.V1BETA2);
    }

    /** Whether plugins can be enabled for all their points at once. */
    boolean hasMultiPoint() {
        return version.atLeast(ConfigVersion.V1BETA3);
    }
}
