package io.policyscheduler.cmd.settings;

import com.google.common.collect.ImmutableMap;
import io.policyscheduler.engine.policy.GoDuration;
import io.policyscheduler.framework.config.AlgorithmSource;
import io.policyscheduler.framework.config.LeaderElectionSettings;
import io.policyscheduler.framework.config.SchedulerConfiguration;
import java.util.LinkedHashMap;
import java.util.Map;

/** The settings that a KubeSchedulerConfiguration file gives, by field path and as flags write them. */
final class FileValues {
    private FileValues() {}

    /** What the file says itself; what it leaves out is not here. */
    static Map<String, String> of(SchedulerConfiguration config) {
        Map<String, String> all = new LinkedHashMap<>();
        all.put("schedulerName", config.profiles().get(0).schedulerName());
        AlgorithmSource source = config.algorithmSource();
        if (source instanceof AlgorithmSource.Provider provider) {
            all.put("algorithmSource.provider", provider.name());
        } else if (source instanceof AlgorithmSource.PolicyFile file) {
            all.put("algorithmSource.policy.file.path", file.path());
        } else if (source instanceof AlgorithmSource.PolicyConfigMap map) {
            all.put("algorithmSource.policy.configMap.name", map.name());
            all.put("algorithmSource.policy.configMap.namespace", map.namespace());
        }
        all.put(
                "hardPodAffinitySymmetricWeight",
                Integer.toString(config.legacy().hardPodAffinitySymmetricWeight()));
        all.put("disablePreemption", Boolean.toString(config.legacy().disablePreemption()));
        all.put(
                "bindTimeoutSeconds",
                Long.toString(config.legacy().bindTimeout().toSeconds()));
        if (config.percentageOfNodesToScore() != null) {
            all.put("percentageOfNodesToScore", Integer.toString(config.percentageOfNodesToScore()));
        }
        all.put("podInitialBackoffSeconds", Long.toString(config.podInitialBackoffSeconds()));
        all.put("podMaxBackoffSeconds", Long.toString(config.podMaxBackoffSeconds()));
        all.put("clientConnection.kubeconfig", config.clientConnection().kubeconfig());
        LeaderElectionSettings election = config.leaderElection();
        all.put("leaderElection.leaderElect", Boolean.toString(election.leaderElect()));
        all.put("leaderElection.leaseDuration", GoDuration.format(election.leaseDuration()));
        all.put("leaderElection.renewDeadline", GoDuration.format(election.renewDeadline()));
        all.put("leaderElection.retryPeriod", GoDuration.format(election.retryPeriod()));
        all.put("leaderElection.resourceLock", election.resourceLock());
        all.put("leaderElection.resourceName", election.resourceName());
        all.put("leaderElection.resourceNamespace", election.resourceNamespace());
        if (config.healthzBindAddress() != null) {
            all.put("healthzBindAddress", config.healthzBindAddress());
        }
        all.keySet().removeIf(field -> config.positions().of(field).isEmpty());
        return ImmutableMap.copyOf(all);
    }
}
