package io.policyscheduler.framework.modern;

import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.framework.config.ConfigurationException;
import io.policyscheduler.framework.config.ConfigurationReader;
import io.policyscheduler.framework.config.SchedulerConfiguration;
import io.policyscheduler.framework.config.setting.ConfigVersion;
import io.policyscheduler.framework.devices.ClaimWriter;
import io.policyscheduler.framework.plugin.WaitingPods;
import io.policyscheduler.framework.profile.Profile;
import io.policyscheduler.framework.profile.ProfileBuilder;
import java.time.Clock;

/** Profiles of the plugins of Kubernetes 1.34. */
public final class ModernProfile {
    /** The configuration that kube-scheduler uses when it is given none. */
    private static final String DEFAULTS =
            "apiVersion: " + ConfigVersion.V1.apiVersion() + "\nkind: " + ConfigVersion.KIND + "\n";

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
        try {
            SchedulerConfiguration configuration = configuration("default-scheduler");
            return new ProfileBuilder(ModernPlugins.registry(), cluster, waitingPods, clock, claimWriter)
                    .build(configuration, configuration.profiles().get(0));
        } catch (ConfigurationException e) {
            throw new IllegalStateException("the default configuration is refused", e);
        }
    }

    /** The configuration of the default profile, for pods of {@code schedulerName}. */
    public static SchedulerConfiguration configuration(String schedulerName) {
        try {
            return new ConfigurationReader()
                    .read(DEFAULTS + "profiles: [{schedulerName: \"" + schedulerName + "\"}]\n", "modern");
        } catch (ConfigurationException e) {
            throw new IllegalArgumentException("not the name of a scheduler: " + schedulerName, e);
        }
    }
}
