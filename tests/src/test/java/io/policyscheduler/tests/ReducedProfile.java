package io.policyscheduler.tests;

import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.framework.config.ConfigurationReader;
import io.policyscheduler.framework.config.ConfigurationReader.ConfigurationException;
import io.policyscheduler.framework.config.SchedulerConfiguration;
import io.policyscheduler.framework.cycle.SchedulingCycle;
import io.policyscheduler.framework.insight.compare.SchedulerSpec.Adjustment;
import io.policyscheduler.framework.insight.compare.SnapshotScheduler;
import io.policyscheduler.framework.modern.ModernPlugins;
import io.policyscheduler.framework.plugin.WaitingPods;
import io.policyscheduler.framework.profile.ProfileBuilder;
import java.time.Clock;
import java.util.Set;
import java.util.stream.Collectors;

/** The modern default profile with plugins disabled by a configuration. */
final class ReducedProfile {
    private ReducedProfile() {}

    static SnapshotScheduler decider(Adjustment adjustment, ClusterState cluster) {
        String filters = disabled(adjustment.withoutFilters());
        String scores = disabled(adjustment.withoutScores());
        String text = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles:\n"
                + "- schedulerName: reduced\n  plugins:\n    preFilter: " + filters + "\n    filter: " + filters
                + "\n    preScore: " + scores + "\n    score: " + scores + "\n";
        try {
            SchedulerConfiguration configuration = new ConfigurationReader().read(text, "reduced.yaml");
            return SnapshotScheduler.of(SchedulingCycle.of(
                    new ProfileBuilder(ModernPlugins.registry(), cluster, WaitingPods.NONE, Clock.systemUTC())
                            .build(configuration, configuration.profiles().get(0)),
                    cluster));
        } catch (ConfigurationException e) {
            throw new IllegalStateException(text, e);
        }
    }

    private static String disabled(Set<String> names) {
        return names.stream()
                .map(name -> "{name: " + name + "}")
                .collect(Collectors.joining(", ", "{disabled: [", "]}"));
    }
}
