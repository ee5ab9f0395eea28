package io.policyscheduler.framework.modern;

import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.framework.config.ConfigVersion;
import io.policyscheduler.framework.config.ConfigurationReader;
import io.policyscheduler.framework.config.ConfigurationReader.ConfigurationException;
import io.policyscheduler.framework.config.SchedulerConfiguration;
import io.policyscheduler.framework.devices.ClaimWriter;
import io.policyscheduler.framework.plugin.WaitingPods;
import io.policyscheduler.framework.profile.PluginRegistry;
import io.policyscheduler.framework.profile.Profile;
import io.policyscheduler.framework.profile.ProfileBuilder;
import java.time.Clock;
import org.jspecify.annotations.Nullable;

/** The default profiles of Kubernetes since 1.18. */
public final class ModernProfile {
    private ModernProfile() {}

    /** Returns the default profile of the newest release for simulations. */
    public static Profile defaults(ClusterView cluster) {
        return of(cluster).build();
    }

    /**
     * Returns a builder of default profiles: of the newest release, without pods that wait at permit, and with claims in memory.
     *
     * @param cluster the cluster to schedule; not read before the first pod
     */
    public static Builder of(ClusterView cluster) {
        return new Builder(cluster);
    }

    /** Builds the default profile of a release. */
    public static final class Builder {
        private final ClusterView cluster;
        private Release release = Release.NEWEST;
        private WaitingPods waitingPods = WaitingPods.NONE;
        private Clock clock = Clock.systemUTC();
        private @Nullable PluginRegistry plugins;
        private @Nullable ClaimWriter claimWriter;

        private Builder(ClusterView cluster) {
            this.cluster = cluster;
        }

        /** Sets the release, 1.18 or later. */
        public Builder release(Release value) {
            release = value;
            return this;
        }

        /** Sets the plugins: those of this package, and those that wrap the algorithms of 1.17. */
        public Builder plugins(PluginRegistry value) {
            plugins = value;
            return this;
        }

        /** Sets the pods that wait at permit. */
        public Builder waitingPods(WaitingPods value) {
            waitingPods = value;
            return this;
        }

        /** Sets the clock of the plugins. */
        public Builder clock(Clock value) {
            clock = value;
            return this;
        }

        /** Sets the writer of resource claims. */
        public Builder claimWriter(ClaimWriter value) {
            claimWriter = value;
            return this;
        }

        /** Returns the profile. */
        public Profile build() {
            PluginRegistry registry = plugins == null ? ModernPlugins.registry() : plugins;
            ClaimWriter writer = claimWriter == null ? ClaimWriter.inMemory(cluster.assumedClaims()) : claimWriter;
            try {
                SchedulerConfiguration configuration = configuration("default-scheduler", release);
                return new ProfileBuilder(registry, cluster, waitingPods, clock, writer)
                        .build(configuration, configuration.profiles().get(0));
            } catch (ConfigurationException e) {
                throw new IllegalStateException("the default configuration is invalid", e);
            }
        }
    }

    /**
     * The configuration that the kube-scheduler of a release uses by default.
     *
     * @param release 1.18 or later
     */
    public static SchedulerConfiguration configuration(String schedulerName, Release release) {
        String text = "apiVersion: " + ConfigVersion.usual(release).apiVersion() + "\nkind: " + ConfigVersion.KIND
                + "\nprofiles: [{schedulerName: \"" + schedulerName + "\"}]\n";
        try {
            return new ConfigurationReader(release).read(text, "modern");
        } catch (ConfigurationException e) {
            throw new IllegalArgumentException("not the name of a scheduler: " + schedulerName, e);
        }
    }
}
