package io.policyscheduler.cmd.replay;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.cluster.PodInfo;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.PluginTranslation;
import io.policyscheduler.engine.preemption.PreemptionResult;
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
