package io.policyscheduler.cmd.replay;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.setup.Algorithms;
import io.policyscheduler.engine.algorithm.AlgorithmRegistry;
import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.cluster.FeatureGates;
import io.policyscheduler.engine.cluster.NodeInfo;
import io.policyscheduler.engine.cluster.PodInfo;
import io.policyscheduler.engine.legacy.LegacyAlgorithm;
import io.policyscheduler.engine.legacy.LegacyAssembly;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.PluginTranslation;
import io.policyscheduler.engine.policy.PolicyException;
import io.policyscheduler.engine.policy.PolicyProblem;
import io.policyscheduler.engine.policy.PolicyReader;
import io.policyscheduler.engine.policy.PolicyResolver;
import io.policyscheduler.engine.preemption.Preemption;
import io.policyscheduler.engine.preemption.PreemptionResult;
import io.policyscheduler.framework.profile.ProviderAdapter;
import io.policyscheduler.framework.scheduler.cycle.SchedulingCycle;
import io.policyscheduler.framework.scheduler.cycle.TieBreak;
import io.policyscheduler.predicates.VolumeBinder;
import java.io.IOException;
import java.util.Iterator;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Works a recorded scenario out again, in strict v1.17 behaviour or with the plugins of current releases, and gives the outcome
 * in the form of the recordings: every pending pod is decided in order, and one that fits is taken to run on the first of its
 * best nodes before the next.
 */
public final class Replayer {
    private final AlgorithmRegistry registry = Algorithms.registry();

    /** How a scenario is decided; the two modes differ only here. */
    private interface Decider {
        Evaluation evaluate(PodInfo pod);

        PreemptionResult preempt(PodInfo pod, Evaluation evaluation);
    }

    /**
     * The outcome of a scenario.
     *
     * @throws IOException when an object of the scenario cannot be read
     */
    public ObjectNode replay(JsonNode scenario, ReplayMode mode) throws IOException {
        if (mode == ReplayMode.MODERN) {
            return ModernReplay.replay(scenario);
        }
        if (!hasPolicy(scenario)) {
            throw new IOException("no policy, policyText or provider; mode modern needs none");
        }
        FeatureGates gates = gates(scenario);
        ObjectNode outcome = JsonNodeFactory.instance.objectNode();
        EffectivePolicy policy;
        try {
            policy = resolve(scenario, gates);
        } catch (PolicyException e) {
            return outcome.put("configError", e.v117Message());
        }
        PluginTranslation translation = PluginTranslation.of(policy);
        if (mode == ReplayMode.FRAMEWORK) {
            OutcomeWriter.plugins(outcome, translation);
        } else {
            OutcomeWriter.algorithms(outcome, policy);
        }
        if (scenario.path("pending").isEmpty()) {
            return outcome;
        }
        RecordedWorld world = new RecordedWorld(scenario, gates);
        Decider decider = mode == ReplayMode.LEGACY ? legacy(policy, world) : framework(policy, world);
        VolumeBinder volumes = new VolumeBinder(gates, policy.predicates().containsKey("CheckVolumeBinding"));
        ArrayNode pods = outcome.putArray("pods");
        for (PodInfo pod : world.pending) {
            ObjectNode entry = pods.addObject();
            Evaluation evaluation = decider.evaluate(pod);
            OutcomeWriter.evaluation(entry, pod, evaluation);
            if (evaluation.error() == null) {
                String node = evaluation.best().get(0);
                entry.put("bound", node);
                NodeInfo info = world.cluster.node(node);
                if (info != null) {
                    volumes.assume(world.cluster, pod, info);
                }
                world.place(pod, node);
            } else if (evaluation.fitError()) {
                OutcomeWriter.preemption(entry, decider.preempt(pod, evaluation));
            }
        }
        return outcome;
    }

    private static boolean hasPolicy(JsonNode scenario) {
        return scenario.has("policy") || scenario.has("policyText") || scenario.has("provider");
    }

    private static FeatureGates gates(JsonNode scenario) throws IOException {
        try {
            return parseGates(scenario);
        } catch (IllegalArgumentException e) {
            throw new IOException("featureGates: " + e.getMessage(), e);
        }
    }

    private static FeatureGates parseGates(JsonNode scenario) {
        FeatureGates gates = FeatureGates.defaults();
        Iterator<Map.Entry<String, JsonNode>> fields =
                scenario.path("featureGates").properties().iterator();
        while (fields.hasNext()) {
            Map.Entry<String, JsonNode> gate = fields.next();
            gates = gates.with(gate.getKey(), gate.getValue().asBoolean());
        }
        return gates;
    }

    private EffectivePolicy resolve(JsonNode scenario, FeatureGates gates) throws PolicyException {
        int hardWeight = scenario.path("hardPodAffinitySymmetricWeight").asInt(1);
        PolicyResolver resolver = new PolicyResolver(gates, hardWeight, true, Algorithms.catalog(registry));
        if (scenario.has("provider")) {
            return resolver.resolveProvider(scenario.get("provider").asText());
        }
        String text = scenario.has("policyText")
                ? scenario.get("policyText").asText()
                : scenario.path("policy").toString();
        return resolver.resolve(new PolicyReader().read(text, "policy"));
    }

    private static Preemption preemption(EffectivePolicy policy) {
        return new Preemption(
                policy.gates().enabled(FeatureGates.NON_PREEMPTING_PRIORITY),
                policy.gates().enabled(FeatureGates.POD_DISRUPTION_BUDGET));
    }

    private Decider legacy(EffectivePolicy policy, RecordedWorld world) {
        LegacyAlgorithm algorithm = LegacyAssembly.assemble(policy, registry, name -> "");
        return new Decider() {
            @Override
            public Evaluation evaluate(PodInfo pod) {
                return algorithm.evaluate(pod, world.cluster, world::nominatedOn);
            }

            @Override
            public PreemptionResult preempt(PodInfo pod, Evaluation evaluation) {
                return algorithm.preempt(pod, world.cluster, world::nominatedOn, evaluation, preemption(policy));
            }
        };
    }

    private Decider framework(EffectivePolicy policy, RecordedWorld world) {
        SchedulingCycle cycle = new SchedulingCycle(
                new ProviderAdapter(registry, name -> "").adapt(policy, world.cluster),
                world.cluster,
                100,
                TieBreak.first());
        return new Decider() {
            @Override
            public Evaluation evaluate(PodInfo pod) {
                return cycle.evaluate(pod, world::nominatedOn);
            }

            @Override
            public PreemptionResult preempt(PodInfo pod, Evaluation evaluation) {
                return cycle.preempt(pod, world::nominatedOn, evaluation.failures(), preemption(policy));
            }
        };
    }

    /** Names in the scenario's policy that this program lacks, sorted; a scenario with any is left out of comparisons. */
    public SortedSet<String> missing(JsonNode scenario) throws IOException {
        SortedSet<String> missing = new TreeSet<>();
        if (!hasPolicy(scenario)) {
            return missing;
        }
        try {
            resolve(scenario, gates(scenario));
        } catch (PolicyException e) {
            e.problems().stream()
                    .filter(problem -> problem.code().equals(PolicyProblem.NOT_BUILT_IN))
                    .forEach(problem -> missing.add(problem.value()));
        }
        return missing;
    }

    /** Null, or why the outcome of this mode is not compared. */
    public static @Nullable String excepted(JsonNode scenario, ReplayMode mode) {
        JsonNode expected = scenario.path("expected").path(mode.key());
        if (expected.isMissingNode()) {
            return "no outcome recorded for this mode";
        }
        return expected.has("crash") ? "v1.17 died" : null;
    }
}
