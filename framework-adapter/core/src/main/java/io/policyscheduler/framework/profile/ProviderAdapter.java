package io.policyscheduler.framework.profile;

import io.policyscheduler.engine.algorithm.AlgorithmConfig;
import io.policyscheduler.engine.algorithm.AlgorithmRegistry;
import io.policyscheduler.engine.algorithm.KnownAlgorithms;
import io.policyscheduler.engine.algorithm.KnownAlgorithms.KnownAlgorithm;
import io.policyscheduler.engine.algorithm.Priority.WeightedPriority;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.EffectivePolicy.PluginTranslation;
import io.policyscheduler.engine.policy.PolicyNames;
import io.policyscheduler.framework.plugin.CycleState.StateKeys;
import io.policyscheduler.framework.plugin.FilterPlugin;
import io.policyscheduler.framework.plugin.Plugin;
import io.policyscheduler.framework.plugin.PostFilterPlugin;
import io.policyscheduler.framework.plugin.PreBindPlugin;
import io.policyscheduler.framework.plugin.PreEnqueuePlugin;
import io.policyscheduler.framework.plugin.PreFilterPlugin;
import io.policyscheduler.framework.plugin.ReservePlugin;
import io.policyscheduler.framework.profile.InTreePlugins.DefaultPreemption;
import io.policyscheduler.framework.profile.InTreePlugins.SchedulingGates;
import io.policyscheduler.framework.profile.Profile.Family;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Converts an effective policy or algorithm provider to a profile of plugins: each predicate becomes the filter plugins that v1.17
 * maps it to, each priority its score plugin. Mirrors {@code pkg/scheduler/framework/plugins/default_registry.go}.
 */
public final class ProviderAdapter {
    private final AlgorithmRegistry registry;
    private final UnaryOperator<String> environment;

    /**
     * @param registry the algorithms of this program
     * @param environment reads an environment variable, the empty string if unset
     */
    public ProviderAdapter(AlgorithmRegistry registry, UnaryOperator<String> environment) {
        this.registry = registry;
        this.environment = environment;
    }

    /**
     * The policy as a profile. A plugin that two predicates map to occurs once, at its first position.
     *
     * @param cluster the cluster to schedule
     */
    public Profile adapt(EffectivePolicy policy, ClusterView cluster) {
        return start(policy, cluster, new StateKeys()).build();
    }

    /** The builder of the profile, to which the caller can add plugins. */
    public Profile.Builder start(EffectivePolicy policy, ClusterView cluster, StateKeys keys) {
        return start(policy, cluster, keys, null);
    }

    /**
     * The same for a running scheduler, which allocates devices.
     *
     * @param devices the plugin that allocates devices to claims, for a policy that lists the predicate; null for none
     */
    public Profile.Builder start(
            EffectivePolicy policy, ClusterView cluster, StateKeys keys, @Nullable Plugin devices) {
        AlgorithmConfig config = policy.algorithmConfig(environment);
        Profile.Builder profile = Profile.builder(policy.source(), Family.LEGACY, keys)
                .preEnqueue(new SchedulingGates())
                .checkAllFilters(policy.alwaysCheckAllPredicates())
                .arithmetic(policy.gates().arithmetic());
        Set<String> names = new HashSet<>();
        for (String key : policy.evaluationOrder()) {
            if (devices != null && key.equals(devices.name()) && policy.allocatesClaims()) {
                addWhole(profile, devices);
                continue;
            }
            List<KnownAlgorithm> rows = KnownAlgorithms.pluginRows(key);
            Map<String, String> plugins = new LinkedHashMap<>();
            rows.forEach(row -> plugins.put(row.plugin(), row.name()));
            (plugins.isEmpty() ? Map.of(key, key) : plugins).forEach((plugin, predicate) -> {
                if (names.add(plugin)) {
                    PredicatePlugin filter = new PredicatePlugin(
                            plugin,
                            policy.predicate(predicate, registry, config),
                            policy.alwaysCheckAllPredicates(),
                            keys,
                            cluster);
                    profile.preFilter(filter).filter(filter);
                }
            });
        }
        profile.postFilter(new DefaultPreemption());
        PluginTranslation translation = PluginTranslation.of(policy);
        PolicyNames policyNames = PolicyNames.of(policy);
        policy.priorities().forEach((key, weight) -> {
            String plugin = KnownAlgorithms.scorePlugin(key);
            if (plugin.isEmpty()) {
                profile.function(new WeightedPriority(policy.priority(key, registry, config), weight));
            } else {
                PriorityPlugin score = new PriorityPlugin(
                        plugin, policyNames.score(key), policy.priority(key, registry, config), keys);
                profile.preScore(score).score(score, translation.scores().getOrDefault(plugin, weight));
            }
        });
        return profile;
    }

    private static void addWhole(Profile.Builder profile, Plugin plugin) {
        if (plugin instanceof PreEnqueuePlugin gate) {
            profile.preEnqueue(gate);
        }
        if (plugin instanceof PreFilterPlugin preFilter) {
            profile.preFilter(preFilter);
        }
        if (plugin instanceof FilterPlugin filter) {
            profile.filter(filter);
        }
        if (plugin instanceof PostFilterPlugin postFilter) {
            profile.postFilter(postFilter);
        }
        if (plugin instanceof ReservePlugin reserve) {
            profile.reserve(reserve);
        }
        if (plugin instanceof PreBindPlugin preBind) {
            profile.preBind(preBind);
        }
    }
}
