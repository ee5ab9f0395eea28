package io.policyscheduler.cmd.replay;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.algorithm.NodeFailure;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.placement.PreemptionResult;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.EffectivePolicy.PluginTranslation;
import io.policyscheduler.framework.config.ProfilePlugins.EffectivePlugins;
import io.policyscheduler.framework.plugin.ExtensionPoint;
import io.policyscheduler.framework.plugin.Plugin;
import io.policyscheduler.framework.plugin.Status;
import io.policyscheduler.framework.profile.Profile;
import java.util.Collection;
import java.util.Map;

/** Writes outcomes in the form of the recordings. */
final class OutcomeWriter {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private OutcomeWriter() {}

    static void algorithms(ObjectNode outcome, EffectivePolicy policy) {
        strings(outcome.putArray("predicates"), policy.predicateKeys());
        if (!policy.priorities().isEmpty()) {
            longs(outcome.putObject("priorities"), policy.priorities());
        }
    }

    static void plugins(ObjectNode outcome, PluginTranslation translation) {
        ObjectNode plugins = outcome.putObject("plugins");
        strings(plugins.putArray("filter"), translation.filters());
        if (!translation.scores().isEmpty()) {
            strings(plugins.putArray("score"), translation.scoreList());
        }
        if (!translation.pluginConfig().isEmpty()) {
            outcome.set("pluginConfig", MAPPER.valueToTree(translation.pluginConfig()));
        }
        if (!translation.rawPredicates().isEmpty()) {
            strings(outcome.putArray("predicates"), translation.rawPredicates());
        }
    }

    /** The plugins of a profile at the extension points in recordings. */
    static void profile(ObjectNode outcome, Profile profile) {
        ObjectNode plugins = outcome.putObject("plugins");
        names(plugins, ExtensionPoint.PRE_FILTER, profile.preFilters());
        names(plugins, ExtensionPoint.FILTER, profile.filters());
        names(plugins, ExtensionPoint.POST_FILTER, profile.postFilters());
        names(plugins, ExtensionPoint.PRE_SCORE, profile.preScores());
        names(plugins, ExtensionPoint.RESERVE, profile.reserves());
        if (!profile.scores().isEmpty()) {
            ArrayNode scores = plugins.putArray(ExtensionPoint.SCORE.key());
            profile.scores().forEach(score -> scores.add(score.plugin().name() + "=" + score.weight()));
        }
    }

    /** The Filter and Score plugins of a profile, which recordings without preemption contain. */
    static void filtersAndScores(ObjectNode outcome, Profile profile) {
        ObjectNode plugins = outcome.putObject("plugins");
        strings(
                plugins.putArray(ExtensionPoint.FILTER.key()),
                profile.filters().stream().map(Plugin::name).toList());
        strings(
                plugins.putArray(ExtensionPoint.SCORE.key()),
                profile.scores().stream()
                        .map(score -> score.plugin().name() + "=" + score.weight())
                        .toList());
    }

    /** The plugins at every extension point, which only recordings of configurations contain. */
    static void allPlugins(ObjectNode outcome, EffectivePlugins effective) {
        ObjectNode plugins = outcome.putObject("plugins");
        for (ExtensionPoint point : ExtensionPoint.values()) {
            if (point == ExtensionPoint.PLACEMENT_GENERATE || point == ExtensionPoint.PLACEMENT_SCORE) {
                // Recordings do not contain these points.
                continue;
            }
            ArrayNode names = plugins.putArray(point.key());
            if (point == ExtensionPoint.SCORE) {
                effective
                        .at(point)
                        .forEach(name ->
                                names.add(name + "=" + effective.scoreWeights().get(name)));
            } else {
                strings(names, effective.at(point));
            }
        }
    }

    private static void names(ObjectNode plugins, ExtensionPoint point, Collection<? extends Plugin> list) {
        if (!list.isEmpty()) {
            strings(
                    plugins.putArray(point.key()),
                    list.stream().map(Plugin::name).toList());
        }
    }

    /** A pod without an attempt. */
    static void gated(ObjectNode entry, PodInfo pod, String plugin, Status status) {
        entry.put("pod", pod.key());
        entry.putArray("feasible");
        boolean unresolvable = status.code() == Status.Code.UNSCHEDULABLE_AND_UNRESOLVABLE;
        failure(entry.putObject("gated"), new NodeFailure(status.reasons(), unresolvable, plugin));
    }

    /** An outcome of plugins of current releases, which contains the rejecting plugins. */
    static void currentEvaluation(ObjectNode entry, PodInfo pod, Evaluation evaluation) {
        evaluation(entry, pod, evaluation);
        if (evaluation.rejectedBefore() != null) {
            entry.remove("failures");
            failure(entry.putObject("preFilter"), evaluation.rejectedBefore());
        } else if (entry.get("failures") instanceof ObjectNode failures) {
            evaluation.failures().forEach((node, failure) -> {
                if (failure.plugin() != null && failures.get(node) instanceof ObjectNode one) {
                    one.put("plugin", failure.plugin());
                }
            });
        }
    }

    /**
     * An outcome in the form of {@code expected.release}: feasible nodes only where there are some, failures of every pod that
     * reached the filters, and the plugin of failures from filters.
     *
     * @param withPlugins whether the release reports which plugin rejected a node
     */
    static void evaluationOfRelease(ObjectNode entry, PodInfo pod, Evaluation evaluation, boolean withPlugins) {
        evaluation(entry, pod, evaluation);
        if (evaluation.error() != null) {
            entry.remove("feasible");
        }
        if (evaluation.error() == null || evaluation.fitError()) {
            ObjectNode failures = entry.putObject("failures");
            boolean named = withPlugins && evaluation.rejectedBefore() == null;
            evaluation
                    .failures()
                    .forEach((node, failure) -> failure(
                            failures.putObject(node),
                            named ? failure : new NodeFailure(failure.reasons(), failure.unresolvable(), null)));
        }
    }

    private static void failure(ObjectNode entry, NodeFailure failure) {
        if (failure.plugin() != null) {
            entry.put("plugin", failure.plugin());
        }
        strings(entry.putArray("reasons"), failure.reasons().stream().sorted().toList());
        entry.put("unresolvable", failure.unresolvable());
    }

    static void evaluation(ObjectNode entry, PodInfo pod, Evaluation evaluation) {
        entry.put("pod", pod.key());
        if (evaluation.error() != null) {
            entry.put("error", evaluation.error());
        }
        strings(
                entry.putArray("feasible"),
                evaluation.feasible().stream().sorted().toList());
        if (!evaluation.failures().isEmpty()) {
            ObjectNode failures = entry.putObject("failures");
            evaluation.failures().forEach((node, failure) -> {
                ObjectNode one = failures.putObject(node);
                strings(
                        one.putArray("reasons"),
                        failure.reasons().stream().sorted().toList());
                one.put("unresolvable", failure.unresolvable());
            });
        }
        if (evaluation.error() != null) {
            return;
        }
        if (!evaluation.scores().isEmpty()) {
            ObjectNode scores = entry.putObject("scores");
            evaluation.scores().forEach((algorithm, byNode) -> longs(scores.putObject(algorithm), byNode));
            longs(entry.putObject("weights"), evaluation.weights());
        }
        longs(entry.putObject("totals"), evaluation.totals());
        strings(entry.putArray("best"), evaluation.best());
    }

    static void preemption(ObjectNode entry, PreemptionResult result) {
        ObjectNode preemption = entry.putObject("preemption");
        preemption.put("eligible", result.eligible());
        if (result.error() != null) {
            preemption.put("error", result.error());
        }
        strings(preemption.putArray("potentialNodes"), result.potentialNodes());
        ObjectNode candidates = preemption.putObject("candidates");
        result.candidates().forEach((node, victims) -> {
            ObjectNode one = candidates.putObject(node);
            strings(
                    one.putArray("pods"),
                    victims.pods().stream().map(PodInfo::key).toList());
            one.put("pdbViolations", victims.budgetViolations());
        });
        strings(preemption.putArray("acceptableNodes"), result.acceptableNodes());
        if (!result.clearNominations().isEmpty()) {
            ObjectNode clear = preemption.putObject("clearNominations");
            result.clearNominations()
                    .forEach((node, pods) -> strings(
                            clear.putArray(node),
                            pods.stream().map(PodInfo::key).toList()));
        }
    }

    private static void strings(ArrayNode array, Collection<String> values) {
        values.forEach(array::add);
    }

    private static void longs(ObjectNode object, Map<String, Long> values) {
        values.forEach((key, value) -> object.put(key, value.longValue()));
    }
}
