package io.policyscheduler.framework.modern;

import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.framework.config.ConfigVersion;
import io.policyscheduler.framework.config.ConfigurationException;
import io.policyscheduler.framework.config.ConfigurationReader;
import io.policyscheduler.framework.config.SchedulerConfiguration;
import io.policyscheduler.framework.devices.ClaimWriter;
import io.policyscheduler.framework.plugin.PluginRegistry;
import io.policyscheduler.framework.plugin.WaitingPods;
import io.policyscheduler.framework.profile.Profile;
import io.policyscheduler.framework.profile.ProfileBuilder;
import java.time.Clock;

/** Default profiles of Kubernetes 1.34, and of releases before it. */
public final class ModernProfile {
    private ModernProfile() {}

    /** The default profile for a cluster that is decided about but not scheduled: no pod ever waits at permit. */
    public static Profile defaults(ClusterView cluster) {
        return defaults(cluster, WaitingPods.NONE, Clock.systemUTC());
    }

    /**
     * The default profile.
     *
     * @param cluster what it will decide about; not read before the first pod
     */
    public static Profile defaults(ClusterView cluster, WaitingPods waitingPods, Clock clock) {
        return defaults(cluster, waitingPods, clock, ClaimWriter.inMemory(cluster.assumedClaims()));
    }

    /** The same with somebody who writes resource claims. */
    public static Profile defaults(ClusterView cluster, WaitingPods waitingPods, Clock clock, ClaimWriter claimWriter) {
        return defaults(Release.NEWEST, cluster, waitingPods, clock, claimWriter);
    }

    /** The default profile of a release, with a writer of resource claims. */
    public static Profile defaults(
            Release release, ClusterView cluster, WaitingPods waitingPods, Clock clock, ClaimWriter claimWriter) {
        return build(release, ModernPlugins.registry(), cluster, waitingPods, clock, claimWriter);
    }

    /**
     * The default profile of a release, where no pod ever waits at permit.
     *
     * @param release 1.18 or later
     * @param plugins those of this package over those that are made of the algorithms of 1.17
     * @param cluster what it will decide about; not read before the first pod
     */
    public static Profile defaults(Release release, PluginRegistry plugins, ClusterView cluster) {
        return build(
                release,
                plugins,
                cluster,
                WaitingPods.NONE,
                Clock.systemUTC(),
                ClaimWriter.inMemory(cluster.assumedClaims()));
    }

    private static Profile build(
            Release release,
            PluginRegistry plugins,
            ClusterView cluster,
            WaitingPods waitingPods,
            Clock clock,
            ClaimWriter claimWriter) {
        try {
            SchedulerConfiguration configuration = configuration("default-scheduler", release);
            return new ProfileBuilder(plugins, cluster, waitingPods, clock, claimWriter)
                    .build(configuration, configuration.profiles().get(0));
        } catch (ConfigurationException e) {
            throw new IllegalStateException("the default configuration is refused", e);
        }
    }

    /** The configuration of the default profile, for pods of {@code schedulerName}. */
    public static SchedulerConfiguration configuration(String schedulerName) {
        return configuration(schedulerName, Release.NEWEST);
    }

    /**
     * The configuration that the kube-scheduler of a release uses when it is given none.
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
