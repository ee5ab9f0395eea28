package io.policyscheduler.cmd.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.placement.PreemptionResult;
import io.policyscheduler.engine.policy.PolicyNames;
import io.policyscheduler.framework.devices.DeviceAllocator.DeviceReport;
import io.policyscheduler.framework.insight.explain.Explanation;
import io.policyscheduler.framework.insight.explain.Explanation.Obstacle;
import io.policyscheduler.framework.insight.explain.Explanation.ScoreGap;
import io.policyscheduler.framework.insight.explain.NearestFits;
import io.policyscheduler.framework.insight.explain.Remedy;
import io.policyscheduler.framework.insight.whatif.Simulation.InOrder;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** An explanation as JSON. All fields are always present; those that do not apply are null or empty. */
public final class ExplanationJson {
    private ExplanationJson() {}

    /**
     * The explanation as a tree.
     *
     * @param decider name of the scheduler
     * @param order the decisions about the pods before it; null if they were not made
     */
    public static ObjectNode of(
            Explanation explanation, String decider, @Nullable InOrder order, List<String> warnings) {
        Evaluation evaluation = explanation.evaluation();
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        String runsOn = explanation.pod().nodeName();
        json.put("pod", explanation.pod().key());
        if (order == null) {
            json.putNull("inOrder");
        } else {
            json.putObject("inOrder").put("placed", order.placed()).put("unplaced", order.unplaced());
        }
        json.put("runsOn", runsOn.isEmpty() ? null : runsOn);
        json.put("decider", decider).put("fits", explanation.fits());
        json.put("askedNode", explanation.requestedNode()).put("winner", explanation.winner());
        json.put("message", evaluation.error());
        explanation.pod().spec().schedulingGates().forEach(json.putArray("schedulingGates")::add);
        ArrayNode ranking = json.putArray("ranking");
        for (String node : explanation.ranking()) {
            ObjectNode rank = ranking.addObject().put("node", node).put("total", explanation.total(node));
            ObjectNode scores = rank.putObject("scores");
            evaluation.scores().forEach((algorithm, byNode) -> scores.put(algorithm, byNode.getOrDefault(node, 0L)));
        }
        ObjectNode weights = json.putObject("weights");
        evaluation.weights().forEach((algorithm, weight) -> weights.put(algorithm, weight));
        gap(json, explanation);
        ObjectNode failures = json.putObject("failures");
        evaluation.failures().forEach((node, failure) -> {
            List<Obstacle> known = explanation
                    .obstacles()
                    .getOrDefault(
                            node,
                            List.of(new Obstacle(failure.plugin() == null ? "" : failure.plugin(), failure.reasons())));
            obstacles(failures.putArray(node), known);
        });
        devices(json, explanation);
        nearest(json, explanation.nearest());
        preemption(json, explanation.preemption());
        warnings.forEach(json.putArray("warnings")::add);
        return json;
    }

    /** The reasons why each device is not allocatable. */
    private static void devices(ObjectNode json, Explanation explanation) {
        if (explanation.devices().isEmpty()) {
            return;
        }
        ObjectNode devices = json.putObject("devices");
        explanation.devices().forEach((node, verdicts) -> {
            ArrayNode array = devices.putArray(node);
            for (DeviceReport.Verdict verdict : verdicts) {
                array.addObject()
                        .put("claim", verdict.claim())
                        .put("request", verdict.request())
                        .put("slice", verdict.slice())
                        .put("device", verdict.device())
                        .put("why", verdict.why());
            }
        });
    }

    private static void gap(ObjectNode json, Explanation explanation) {
        String winner = explanation.winner();
        String asked = explanation.requestedNode();
        String other = asked == null || asked.equals(winner) ? explanation.runnerUp() : asked;
        if (winner == null
                || other == null
                || !explanation.evaluation().feasible().contains(other)) {
            json.putNull("gap");
            return;
        }
        ScoreGap gap = ScoreGap.of(explanation.evaluation(), winner, other);
        ObjectNode node = json.putObject("gap");
        node.put("better", gap.better()).put("other", gap.other()).put("gap", gap.gap());
        node.put("tippedBy", gap.tippedBy());
        ArrayNode parts = node.putArray("parts");
        for (ScoreGap.Part part : gap.parts()) {
            parts.addObject()
                    .put("algorithm", part.algorithm())
                    .put("weight", part.weight())
                    .put("better", part.better())
                    .put("other", part.other())
                    .put("difference", part.difference());
        }
    }

    private static void obstacles(ArrayNode array, List<Obstacle> obstacles) {
        for (Obstacle obstacle : obstacles) {
            ObjectNode one = array.addObject();
            one.put("filter", obstacle.filter().isEmpty() ? null : obstacle.filter());
            obstacle.reasons().forEach(one.putArray("reasons")::add);
        }
    }

    private static void nearest(ObjectNode json, @Nullable NearestFits nearest) {
        ArrayNode fits = json.putArray("nearest");
        ObjectNode unknown = json.putObject("unknown");
        json.put("notTried", nearest == null ? 0 : nearest.notTried());
        if (nearest == null) {
            return;
        }
        for (Map.Entry<List<String>, List<NearestFits.Fit>> group :
                nearest.groups().entrySet()) {
            ObjectNode fit = fits.addObject();
            ArrayNode lifts = fit.putArray("lifts");
            for (Remedy remedy : group.getValue().get(0).remedies()) {
                lifts.addObject().put("kind", kind(remedy)).put("text", remedy.text());
            }
            ArrayNode nodes = fit.putArray("nodes");
            group.getValue().forEach(one -> nodes.add(one.node()));
        }
        nearest.unknown().forEach((node, obstacles) -> obstacles(unknown.putArray(node), obstacles));
    }

    private static String kind(Remedy remedy) {
        return remedy.kind().name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static void preemption(ObjectNode json, @Nullable PreemptionResult result) {
        if (result == null) {
            json.putNull("preemption");
            return;
        }
        ObjectNode node = json.putObject("preemption");
        node.put("node", result.chosen()).put("eligible", result.eligible());
        node.put("message", result.message().isEmpty() ? result.error() : result.message());
        ObjectNode candidates = node.putObject("candidates");
        result.candidates().forEach((name, victims) -> {
            ObjectNode candidate = candidates.putObject(name);
            ArrayNode pods = candidate.putArray("victims");
            victims.pods().forEach(pod -> pods.addObject().put("pod", pod.key()).put("priority", pod.priority()));
            candidate.put("budgetViolations", victims.budgetViolations());
        });
    }

    /** Replaces the names of plugins by those that the algorithms have in the policy, for pages and comments; changes {@code json}. */
    public static ObjectNode named(ObjectNode json, PolicyNames names) {
        json.set("weights", SchedulerNames.keys(json.path("weights"), names::score));
        for (JsonNode node : json.path("ranking")) {
            ((ObjectNode) node).set("scores", SchedulerNames.keys(node.path("scores"), names::score));
        }
        for (JsonNode part : json.at("/gap/parts")) {
            rename((ObjectNode) part, "algorithm", names::score);
        }
        if (json.path("gap") instanceof ObjectNode gap) {
            rename(gap, "tippedBy", names::score);
        }
        for (String field : List.of("failures", "unknown")) {
            for (JsonNode node : json.path(field)) {
                node.forEach(obstacle -> rename((ObjectNode) obstacle, "filter", names::filter));
            }
        }
        return json;
    }

    private static void rename(ObjectNode object, String field, UnaryOperator<String> name) {
        if (object.path(field).isTextual()) {
            object.put(field, name.apply(object.path(field).asText()));
        }
    }
}
