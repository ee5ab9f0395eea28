package io.policyscheduler.tests;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableMap;
import io.policyscheduler.cmd.live.Algorithms;
import io.policyscheduler.engine.algorithm.AlgorithmRegistry;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.Policy.PolicyException;
import io.policyscheduler.engine.policy.PolicyReader;
import io.policyscheduler.engine.policy.PolicyResolver;
import io.policyscheduler.engine.rules.data.RuleTables;
import io.policyscheduler.engine.rules.data.RuleTables.TableState;
import io.policyscheduler.engine.rules.data.TableValues;
import io.policyscheduler.framework.config.ConfigurationReader;
import io.policyscheduler.framework.config.ConfigurationReader.ConfigurationException;
import io.policyscheduler.framework.config.SchedulerConfiguration;
import io.policyscheduler.framework.modern.ModernPlugins;
import io.policyscheduler.framework.modern.ModernProfile;
import io.policyscheduler.framework.plugin.WaitingPods;
import io.policyscheduler.framework.profile.InTreePlugins;
import io.policyscheduler.framework.profile.PluginRegistry;
import io.policyscheduler.framework.profile.Profile;
import io.policyscheduler.framework.profile.ProfileBuilder;
import io.policyscheduler.framework.profile.ProviderAdapter;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/** Random schedulers: providers, policies with any algorithms, rules and tables, and modern profiles with users' changes. */
final class CachedSchedulers {
    private static final String ALL_REASONS = """
            {"kind": "Policy", "apiVersion": "v1", "alwaysCheckAllPredicates": true,
             "predicates": [{"name": "GeneralPredicates"}, {"name": "PodToleratesNodeTaints"}, {"name": "MatchInterPodAffinity"},
              {"name": "NoVolumeZoneConflict"}, {"name": "MaxCSIVolumeCountPred"}],
             "priorities": [{"name": "MostRequestedPriority", "weight": 3}, {"name": "TaintTolerationPriority", "weight": 2},
              {"name": "NodeAffinityPriority", "weight": 1}, {"name": "InterPodAffinityPriority", "weight": 2},
              {"name": "Few", "weight": 2, "argument": {"rule": {"expression": "10 - node.podCount", "normalize": "minmax"}}}]}
            """;

    private static final String TABLES = """
            {"kind": "Policy", "apiVersion": "v1",
             "tables": {"price": {"values": {"n0": 1, "n1": 2, "node-1": 3}}},
             "predicates": [{"name": "GeneralPredicates"}, {"name": "CheckVolumeBinding"}, {"name": "DynamicResources"},
              {"name": "Cheap", "argument": {"rule": {"expression": "(tables.price[node.name] or 0) < 8"}}}],
             "priorities": [{"name": "LeastRequestedPriority", "weight": 1}, {"name": "ImageLocalityPriority", "weight": 2},
              {"name": "Price", "weight": 2, "argument": {"rule": {"expression": "10 * (tables.price[node.name] or 0.5)"}}},
              {"name": "Priced", "weight": 1, "argument": {"rule": {"expression": "tables.price[node.name] or 5",
               "normalize": "max"}}}]}
            """;

    /** Plugins of the default profile of 1.34 that get random weights. */
    private static final List<String> SCORES = List.of(
            "TaintToleration",
            "NodeAffinity",
            "NodeResourcesFit",
            "VolumeBinding",
            "PodTopologySpread",
            "InterPodAffinity",
            "NodeResourcesBalancedAllocation",
            "ImageLocality");

    private final AlgorithmRegistry registry = Algorithms.registry();

    /**
     * A scheduler.
     *
     * @param name for messages
     * @param profile creates the profile for a cluster
     * @param tables that its rules read
     */
    record Way(String name, Function<ClusterState, Profile> profile, RuleTables tables) {
        /** Replaces the values of the tables. */
        void changeTables(RandomValues random) {
            for (TableState state : tables.get().states().values()) {
                Map<String, ImmutableMap<String, Object>> rows = new TreeMap<>();
                String field = state.schema().fields().keySet().iterator().next();
                for (int i = 0; i < 6; i++) {
                    rows.put(random.of("n", "node-") + i, ImmutableMap.of(field, (double) random.between(0, 9)));
                }
                tables.put(state.next(TableValues.of(rows)));
            }
        }
    }

    /** Returns a random scheduler. */
    Way of(RandomValues random) throws PolicyException {
        Release release = random.percent(70) ? Release.NEWEST : new Release(17);
        return switch (random.between(0, 9)) {
            case 0 -> new Way("modern", ModernProfile::defaults, RuleTables.none());
            case 1 -> {
                Release older = new Release(random.between(19, 33));
                yield new Way(
                        "modern@" + older,
                        state -> ModernProfile.of(state)
                                .release(older)
                                .plugins(plugins(older))
                                .build(),
                        RuleTables.none());
            }
            case 2, 3, 4 -> {
                String text = configuration(random);
                yield new Way(text, state -> configured(text, state), RuleTables.none());
            }
            case 5 -> provider(random, release);
            case 6 -> policy("all reasons", ALL_REASONS, release);
            case 7 -> policy("tables", TABLES, Release.NEWEST);
            default -> random(random, release);
        };
    }

    private PluginRegistry plugins(Release release) {
        FeatureGates gates = FeatureGates.defaults().at(release);
        return PluginRegistry.empty()
                .with(ModernPlugins.over(new InTreePlugins(registry, gates, name -> "").factories()));
    }

    private static PolicyResolver resolver(FeatureGates gates, AlgorithmRegistry registry) {
        return new PolicyResolver(gates, 1, false, registry);
    }

    private Way provider(RandomValues random, Release release) throws PolicyException {
        String name = random.of("DefaultProvider", "ClusterAutoscalerProvider");
        FeatureGates gates = FeatureGates.defaults().at(release);
        return adapted(name + "@" + release, resolver(gates, registry).resolveProvider(name));
    }

    private Way policy(String name, String text, Release release) throws PolicyException {
        FeatureGates gates = FeatureGates.defaults().at(release);
        return adapted(
                name + "@" + release, resolver(gates, registry).resolve(new PolicyReader().read(text, "policy.json")));
    }

    /** Returns a random policy with arguments, rules, and feature gates. */
    private Way random(RandomValues random, Release release) throws PolicyException {
        ObjectNode scenario = RandomCluster.scenario(random.between(1, 1_000_000), registry);
        FeatureGates gates = ScenarioCluster.gates(scenario).at(release);
        return adapted(
                "policy " + scenario.path("policy"), ScenarioCluster.policy(scenario, resolver(gates, registry)));
    }

    private Way adapted(String name, EffectivePolicy policy) {
        return new Way(
                name,
                state -> new ProviderAdapter(registry, environment -> "").adapt(policy, state),
                policy.rules().tables());
    }

    private static Profile configured(String text, ClusterState state) {
        try {
            SchedulerConfiguration configuration = new ConfigurationReader().read(text, "random.yaml");
            return new ProfileBuilder(ModernPlugins.registry(), state, WaitingPods.NONE, Clock.systemUTC())
                    .build(configuration, configuration.profiles().get(0));
        } catch (ConfigurationException e) {
            throw new IllegalStateException(text, e);
        }
    }

    private static String configuration(RandomValues random) {
        StringBuilder text = new StringBuilder("apiVersion: kubescheduler.config.k8s.io/v1\n"
                + "kind: KubeSchedulerConfiguration\nprofiles:\n- schedulerName: random\n  plugins:\n    score:\n"
                + "      disabled: [{name: '*'}]\n      enabled:\n");
        List<String> scores = SCORES.stream().filter(name -> random.percent(70)).toList();
        for (String name : scores.isEmpty() ? SCORES : scores) {
            text.append("      - {name: " + name + ", weight: " + random.of(1, 2, 3, 10, 100) + "}\n");
        }
        text.append("  pluginConfig:\n  - name: NodeResourcesFit\n    args:\n      scoringStrategy:\n");
        text.append("        type: " + random.of("LeastAllocated", "MostAllocated", "RequestedToCapacityRatio") + "\n");
        text.append(
                "        resources: [{name: cpu, weight: " + random.between(1, 5) + "}, {name: memory, weight: 1}]\n");
        text.append("        requestedToCapacityRatio: {shape: [{utilization: 0, score: " + random.between(0, 10)
                + "}, {utilization: 100, score: " + random.between(0, 10) + "}]}\n");
        text.append("  - name: InterPodAffinity\n    args: {hardPodAffinityWeight: " + random.of(0, 1, 100)
                + ", ignorePreferredTermsOfExistingPods: " + random.percent(30) + "}\n");
        if (random.percent(40)) {
            text.append(
                    "  - name: PodTopologySpread\n    args:\n      defaultingType: List\n      defaultConstraints:\n"
                            + "      - {maxSkew: " + random.between(1, 3) + ", topologyKey: "
                            + random.of("topology.kubernetes.io/zone", "zone", "kubernetes.io/hostname")
                            + ", whenUnsatisfiable: ScheduleAnyway}\n");
        }
        if (random.percent(30)) {
            text.append("  - name: NodeAffinity\n    args:\n      addedAffinity:\n"
                    + "        preferredDuringSchedulingIgnoredDuringExecution:\n"
                    + "        - weight: 5\n          preference: {matchExpressions: [{key: "
                    + random.of("zone", "ssd", "disk") + ", operator: Exists}]}\n");
        }
        return text.toString();
    }
}
