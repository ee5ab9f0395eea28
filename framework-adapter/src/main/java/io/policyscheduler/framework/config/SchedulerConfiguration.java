package io.policyscheduler.framework.config;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.document.DecodedObject.FieldPositions;
import io.policyscheduler.engine.document.Warning;
import io.policyscheduler.engine.extender.ExtenderConfig;
import io.policyscheduler.engine.extender.ExtenderConfig.ManagedResource;
import io.policyscheduler.framework.config.setting.AlgorithmSource;
import io.policyscheduler.framework.config.setting.ClientSettings;
import io.policyscheduler.framework.config.setting.ConfigVersion;
import io.policyscheduler.framework.config.setting.LeaderElectionSettings;
import io.policyscheduler.framework.config.setting.RetiredSettings;
import io.policyscheduler.framework.config.setting.Settings;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A KubeSchedulerConfiguration of any version, defaults filled in; not yet validated.
 *
 * @param file name of the file, for messages
 * @param document what the file says, without unknown keys, and with the defaults of plugin arguments that it gives
 * @param release the one whose decisions are wanted, the newest one unless the reader was told another
 * @param profiles at least one; {@code v1alpha1} has exactly one
 * @param algorithmSource {@code v1alpha1} only, else null
 * @param parallelism threads that look at nodes; 16 where the version does not know it
 * @param percentageOfNodesToScore 0 to 100; null if the file does not say it, which means 0, adapted to the cluster
 * @param podInitialBackoffSeconds wait after a first failure
 * @param podMaxBackoffSeconds longest wait
 * @param healthzBindAddress host and port; null from {@code v1beta3} on
 * @param metricsBindAddress host and port; null from {@code v1beta3} on
 * @param delayCacheUntilActive start watching only when leading
 * @param given what the file itself says of {@link Settings}, by field path and as flags write it
 * @param positions where the file sets what
 * @param warnings what is accepted but probably not meant
 */
public record SchedulerConfiguration(
        String file,
        ObjectNode document,
        ConfigVersion version,
        Release release,
        List<ProfileConfiguration> profiles,
        @Nullable AlgorithmSource algorithmSource,
        int parallelism,
        @Nullable Integer percentageOfNodesToScore,
        long podInitialBackoffSeconds,
        long podMaxBackoffSeconds,
        LeaderElectionSettings leaderElection,
        ClientSettings clientConnection,
        List<ExtenderConfig> extenders,
        @Nullable String healthzBindAddress,
        @Nullable String metricsBindAddress,
        boolean enableProfiling,
        boolean enableContentionProfiling,
        boolean delayCacheUntilActive,
        RetiredSettings retired,
        Map<String, String> given,
        FieldPositions positions,
        List<Warning> warnings) {

    public SchedulerConfiguration {
        document = document.deepCopy();
        profiles = ImmutableList.copyOf(profiles);
        extenders = ImmutableList.copyOf(extenders);
        given = ImmutableMap.copyOf(given);
        warnings = ImmutableList.copyOf(warnings);
    }

    /** Wait after a first failure. */
    public Duration podInitialBackoff() {
        return Duration.ofSeconds(podInitialBackoffSeconds);
    }

    /** Longest wait. */
    public Duration podMaxBackoff() {
        return Duration.ofSeconds(podMaxBackoffSeconds);
    }

    /** The percentage for a profile: its own, else the global one, else 0. */
    public int percentageOfNodesToScore(ProfileConfiguration profile) {
        if (profile.percentageOfNodesToScore() != null) {
            return profile.percentageOfNodesToScore();
        }
        return percentageOfNodesToScore == null ? 0 : percentageOfNodesToScore;
    }

    /**
     * What a plugin of a profile is started with. The resources that extenders want ignored replace those of
     * NodeResourcesFit, from {@code v1alpha2} on.
     */
    public Optional<PluginArguments> argumentsOf(ProfileConfiguration profile, String plugin) {
        Optional<PluginArguments> arguments = profile.argumentsOf(plugin);
        ArrayNode ignored = JsonNodeFactory.instance.arrayNode();
        ignoredByScheduler().forEach(ignored::add);
        boolean replace = version.atLeast(ConfigVersion.V1ALPHA2)
                && plugin.equals(PluginNames.NODE_RESOURCES_FIT)
                && !ignored.isEmpty();
        return replace ? arguments.map(given -> given.with("ignoredResources", ignored)) : arguments;
    }

    /** Names of the resources that only extenders account for. */
    List<String> ignoredByScheduler() {
        return extenders.stream()
                .flatMap(extender -> extender.managedResources().stream())
                .filter(ManagedResource::ignoredByScheduler)
                .map(ManagedResource::name)
                .toList();
    }
}
