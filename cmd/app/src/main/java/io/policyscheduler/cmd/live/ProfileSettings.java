package io.policyscheduler.cmd.live;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import io.policyscheduler.cmd.kube.connection.SteadyClock;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.ExtenderConfig;
import io.policyscheduler.engine.policy.Origin;
import io.policyscheduler.engine.rules.data.RuleTables;
import io.policyscheduler.framework.devices.ClaimWriter;
import io.policyscheduler.framework.modern.ModernPlugins;
import io.policyscheduler.framework.plugin.ApiConnection;
import io.policyscheduler.framework.plugin.CycleState.StateKeys;
import io.policyscheduler.framework.plugin.WaitingPods;
import io.policyscheduler.framework.profile.Profile;
import io.policyscheduler.framework.profile.ProviderAdapter;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The settings of one profile.
 *
 * @param schedulerName pods with this {@code spec.schedulerName} are the profile's
 * @param origin source of the profile in messages: a file, a ConfigMap, a provider
 * @param composition short summary, such as {@code 3 predicates, 2 priorities}
 * @param algorithms the names of that
 * @param source the plugins
 * @param extenders extenders that the profile calls
 * @param strictV117 reproduce v1.17 also where it does not honor the policy
 * @param gates feature gates
 * @param bindsVolumes whether volumes of delayed binding are bound
 * @param percentageOfNodesToScore 0 adapts to the size of the cluster
 * @param volumeTimeout timeout to bind the volumes of a pod; null for the scheduler's default
 * @param semantics one line for the log about the release that the decisions follow, and the flag that selects another one; empty
 *     for none, as for configurations and with {@code --strict-v1.17}
 * @param share share of the owners whose pods this profile schedules: 1 for all, less for a canary next to another profile of the
 *     same name
 */
public record ProfileSettings(
        String schedulerName,
        String origin,
        String composition,
        List<String> algorithms,
        Source source,
        List<ExtenderConfig> extenders,
        boolean strictV117,
        FeatureGates gates,
        boolean bindsVolumes,
        int percentageOfNodesToScore,
        @Nullable Duration volumeTimeout,
        String semantics,
        double share) {
    /**
     * The plugins of a profile.
     *
     * @param factory creates them
     * @param policy the policy that they run, alone or with other plugins; null for none
     * @param list returns the plugins by extension point, with the entries that enable them; empty if unknown
     */
    public record Source(Factory factory, @Nullable EffectivePolicy policy, Supplier<PluginList> list) {
        /** Creates the plugins of a profile. */
        @FunctionalInterface
        public interface Factory {
            /**
             * Creates the plugins.
             *
             * @param cluster state that the plugins read; not to be read before the first pod
             * @param claims writes resource claims
             * @param api for plugins that use the API server
             */
            Profile create(
                    ClusterState cluster, WaitingPods waitingPods, Clock clock, ClaimWriter claims, ApiConnection api);

            /** Creates the plugins for a cluster that is decided about but not scheduled. */
            default Profile create(ClusterState cluster, WaitingPods waitingPods, Clock clock) {
                return create(
                        cluster, waitingPods, clock, ClaimWriter.inMemory(cluster.assumedClaims()), ApiConnection.NONE);
            }
        }

        /** Plugins without a policy, which are not listed. */
        public static Source of(Factory factory) {
            return new Source(factory, null, () -> PluginList.EMPTY);
        }

        private static Source of(EffectivePolicy policy) {
            Factory factory = (cluster, waitingPods, clock, claims, api) -> {
                StateKeys keys = new StateKeys();
                return new ProviderAdapter(Algorithms.registry(), Algorithms.environment())
                        .start(
                                policy,
                                cluster,
                                keys,
                                ModernPlugins.devices(
                                        cluster,
                                        keys,
                                        clock,
                                        claims,
                                        policy.gates().release()))
                        .build();
            };
            return new Source(factory, policy, () -> {
                Profile profile = factory.create(new ClusterState(), WaitingPods.NONE, SteadyClock.system());
                PluginList plugins =
                        PluginList.of(profile, PluginList.Origins.of(policy, (point, plugin) -> "default"));
                profile.close();
                return plugins;
            });
        }

        /** The plugins by extension point, with the entries that enable them. */
        public PluginList plugins() {
            return list.get();
        }

        /** Number of failures by rule, sorted by name; only rules with failures. Thread-safe. */
        public Map<String, Long> ruleFailures() {
            return policy == null ? Map.of() : policy.rules().failures().counts();
        }

        /** The algorithms with the origin of each; empty if unknown. */
        List<AlgorithmLine> lines() {
            return policy == null ? List.of() : AlgorithmLine.of(policy);
        }

        /** Whether rules of the policy read annotations of pods. */
        public boolean readsPodAnnotations() {
            return policy != null && policy.rules().readsPodAnnotations();
        }

        /** The tables of the policy; empty for none. */
        public RuleTables tables() {
            return policy == null ? RuleTables.none() : policy.rules().tables();
        }
    }

    public ProfileSettings {
        algorithms = ImmutableList.copyOf(algorithms);
        extenders = ImmutableList.copyOf(extenders);
    }

    /** Settings without a policy. */
    public ProfileSettings(
            String schedulerName,
            String origin,
            String composition,
            List<String> algorithms,
            Source source,
            List<ExtenderConfig> extenders,
            boolean strictV117,
            FeatureGates gates,
            boolean bindsVolumes,
            int percentageOfNodesToScore,
            @Nullable Duration volumeTimeout) {
        this(
                schedulerName,
                origin,
                composition,
                algorithms,
                source,
                extenders,
                strictV117,
                gates,
                bindsVolumes,
                percentageOfNodesToScore,
                volumeTimeout,
                "",
                1);
    }

    /** Whether another profile of the same scheduler name decides all pods outside of its share. */
    public boolean isCanary() {
        return share < 1;
    }

    /** A copy that decides the pods of a share of the owners. */
    public ProfileSettings withShare(double value) {
        return copy(source, extenders, semantics, value);
    }

    /** One line for users: the origin and the composition. */
    public String summary() {
        return origin + ": " + composition;
    }

    private static String policySemantics(String origin, Release release) {
        return origin + ": runs as kube-scheduler " + release
                + " ran policies; --policy-release selects a release from 1.17 to 1.22";
    }

    /** A copy whose plugins another factory creates from the same policy. */
    public ProfileSettings withPlugins(Source.Factory factory, PluginList list) {
        return copy(new Source(factory, source.policy(), () -> list), extenders, semantics, share);
    }

    /** A copy with a line about the release that decisions follow. */
    public ProfileSettings withSemantics(String said) {
        return copy(source, extenders, said, share);
    }

    /**
     * A copy for a policy that a release from 1.18 on ran as plugins.
     *
     * @param release whose semantics are in use
     * @param called the extenders of the policy
     */
    public ProfileSettings ofTranslatedPolicy(Release release, List<ExtenderConfig> called) {
        return copy(source, called, policySemantics(origin, release), share);
    }

    private ProfileSettings copy(Source made, List<ExtenderConfig> called, String said, double part) {
        return new ProfileSettings(
                schedulerName,
                origin,
                composition,
                algorithms,
                made,
                called,
                strictV117,
                gates,
                bindsVolumes,
                percentageOfNodesToScore,
                volumeTimeout,
                said,
                part);
    }

    /** Settings of a policy, or of an algorithm provider, for one scheduler name. */
    public static ProfileSettings ofPolicy(String schedulerName, EffectivePolicy policy, int percentageOfNodesToScore) {
        return new ProfileSettings(
                schedulerName,
                policy.source(),
                policy.predicateCounts() + ", " + counted(policy.priorities().size(), "priority", "priorities"),
                Stream.concat(policy.predicates().keySet().stream(), policy.priorities().keySet().stream())
                        .toList(),
                Source.of(policy),
                policy.extenders(),
                policy.strictV117(),
                policy.gates(),
                policy.predicates().containsKey("CheckVolumeBinding"),
                percentageOfNodesToScore,
                null,
                policy.strictV117() ? "" : policySemantics(policy.source(), Release.V1_17),
                1);
    }

    private static String counted(int count, String one, String many) {
        return count + " " + (count == 1 ? one : many);
    }

    /**
     * An algorithm that is in effect.
     *
     * @param kind {@code predicate}, {@code priority}, or {@code plugin}
     * @param weight weight of a priority; 0 for others
     * @param origin place in the source, such as {@code line 7}; empty if unknown
     */
    public record AlgorithmLine(String kind, String name, long weight, String origin) {
        /** The lines of a policy: predicates in the order in which they are evaluated, then priorities by name. */
        static List<AlgorithmLine> of(EffectivePolicy policy) {
            ImmutableList.Builder<AlgorithmLine> lines = ImmutableList.builder();
            List<String> order = policy.evaluationOrder();
            order.forEach(name -> lines.add(predicate(policy, name)));
            policy.predicateKeys().stream()
                    .filter(name -> !order.contains(name))
                    .forEach(name -> lines.add(predicate(policy, name)));
            policy.priorities()
                    .forEach((name, weight) -> lines.add(new AlgorithmLine(
                            "priority",
                            name,
                            weight,
                            Objects.requireNonNull(policy.priorityOrigins().get(name))
                                    .describe())));
            return lines.build();
        }

        private static AlgorithmLine predicate(EffectivePolicy policy, String name) {
            Origin origin = Objects.requireNonNull(policy.predicates().get(name));
            return new AlgorithmLine("predicate", name, 0, origin.describe());
        }
    }

    /** The JSON of the profiles in effect. */
    public static final class Lines {
        private Lines() {}

        /**
         * An element for each profile: {@code schedulerName, source, composition, generation, lines} with {@code kind, name, weight,
         * origin} each.
         *
         * @param generation of the profiles
         */
        public static ArrayNode json(List<ProfileSettings> profiles, long generation) {
            ArrayNode all = JsonNodeFactory.instance.arrayNode();
            for (ProfileSettings profile : profiles) {
                ObjectNode json = all.addObject()
                        .put("schedulerName", profile.schedulerName())
                        .put("source", profile.origin())
                        .put("composition", profile.composition())
                        .put("generation", generation);
                if (profile.isCanary()) {
                    json.put("share", profile.share());
                }
                ArrayNode lines = json.putArray("lines");
                for (AlgorithmLine line : lines(profile)) {
                    lines.addObject()
                            .put("kind", line.kind())
                            .put("name", line.name())
                            .put("weight", line.weight())
                            .put("origin", line.origin());
                }
            }
            return all;
        }

        private static List<AlgorithmLine> lines(ProfileSettings profile) {
            List<AlgorithmLine> known = profile.source().lines();
            return known.isEmpty()
                    ? profile.algorithms().stream()
                            .map(name -> new AlgorithmLine("plugin", name, 0, ""))
                            .toList()
                    : known;
        }
    }
}
