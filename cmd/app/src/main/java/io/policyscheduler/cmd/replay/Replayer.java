package io.policyscheduler.cmd.replay;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TreeTraversingParser;
import io.policyscheduler.cmd.live.Algorithms;
import io.policyscheduler.cmd.live.Algorithms.VolumeBinders;
import io.policyscheduler.engine.algorithm.AlgorithmRegistry;
import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import io.policyscheduler.engine.cluster.object.ResourceSliceInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.NewerField;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.functions.FunctionAlgorithm;
import io.policyscheduler.engine.functions.FunctionAlgorithm.FunctionAssembly;
import io.policyscheduler.engine.placement.Preemption;
import io.policyscheduler.engine.placement.PreemptionResult;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.EffectivePolicy.PluginTranslation;
import io.policyscheduler.engine.policy.Policy.PolicyException;
import io.policyscheduler.engine.policy.Policy.PolicyProblemCode;
import io.policyscheduler.engine.policy.PolicyResolver;
import io.policyscheduler.engine.reader.ObjectReader;
import io.policyscheduler.framework.cycle.SchedulingCycle;
import io.policyscheduler.framework.plugin.Status;
import io.policyscheduler.framework.profile.InTreePlugins.SchedulingGates;
import io.policyscheduler.framework.profile.ProviderAdapter;
import io.policyscheduler.predicates.VolumeBinder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Replays a recorded scenario, with a policy or with plugins of current releases, and returns the outcome in the format of
 * recordings: pending pods are decided in order, and a feasible pod runs on the first of its best nodes before the next decision.
 */
public final class Replayer {
    private final AlgorithmRegistry registry = Algorithms.registry();
    private final ReplayRules rules;

    public Replayer(ReplayRules rules) {
        this.rules = rules;
    }

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
        ReplayMode deciding = mode.of(scenario, hasPolicy(scenario));
        return switch (deciding) {
            case FUNCTIONS, FRAMEWORK -> replayPolicy(scenario, deciding);
            case MODERN -> ModernReplay.replay(scenario, rules.modernRelease(), false);
            case RELEASE -> {
                Release release = Objects.requireNonNull(ReplayMode.recorded(scenario));
                yield ModernReplay.replay(scenario, release, ReplayMode.withoutPreemption(scenario, release));
            }
        };
    }

    private ObjectNode replayPolicy(JsonNode scenario, ReplayMode mode) throws IOException {
        if (!hasPolicy(scenario)) {
            throw new IOException(
                    "no policy, policyText or provider; --provider gives one, and mode modern needs none");
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
        if (!scenario.path("pending").isEmpty()) {
            new PolicyReplay(policy, scenario, mode).run(outcome.putArray("pods"));
        }
        return outcome;
    }

    /** One cluster and its changes. */
    private final class PolicyReplay {
        private final EffectivePolicy policy;
        private final RecordedCluster cluster;
        private final Decider decider;
        private final VolumeBinder volumes;
        private final @Nullable RecordedPlacements placements;

        PolicyReplay(EffectivePolicy policy, JsonNode scenario, ReplayMode mode) throws IOException {
            this.policy = policy;
            this.cluster = new RecordedCluster(
                    scenario,
                    policy.gates().keepingPodAnnotations(policy.rules().readsPodAnnotations()));
            this.decider = mode == ReplayMode.FUNCTIONS ? legacy(policy, cluster) : framework(policy, cluster);
            this.volumes =
                    VolumeBinders.binder(policy.gates(), policy.predicates().containsKey("CheckVolumeBinding"));
            this.placements = rules.followsRecording() ? new RecordedPlacements(scenario) : null;
        }

        void run(ArrayNode pods) {
            for (PodInfo pod : cluster.pending) {
                if (!gate(pod).isSuccess()) {
                    // A pod that does not enter the queue has no nomination.
                    cluster.dropNomination(pod);
                }
            }
            for (PodInfo pod : cluster.pending) {
                ObjectNode entry = pods.addObject();
                Status gate = gate(pod);
                if (gate.isSuccess()) {
                    decide(pod, entry);
                } else {
                    OutcomeWriter.gated(entry, pod, SchedulingGates.NAME, gate);
                }
            }
        }

        private Status gate(PodInfo pod) {
            return policy.gates().honours(NewerField.SCHEDULING_GATES)
                    ? new SchedulingGates().preEnqueue(pod)
                    : Status.SUCCESS;
        }

        private void decide(PodInfo pod, ObjectNode entry) {
            Evaluation evaluation = decider.evaluate(pod);
            OutcomeWriter.evaluation(entry, pod, evaluation);
            String decided = evaluation.error() == null ? evaluation.best().get(0) : null;
            String node = placements == null ? decided : placements.node(pod, decided);
            if (node != null) {
                entry.put("bound", node);
                NodeInfo info = cluster.cluster.node(node);
                if (info != null) {
                    volumes.assume(cluster.cluster, pod, info);
                }
                cluster.place(pod, node);
            } else if (evaluation.fitError()) {
                OutcomeWriter.preemption(entry, decider.preempt(pod, evaluation));
            }
        }
    }

    private boolean hasPolicy(JsonNode scenario) {
        return rules.provider() != null
                || scenario.has("policy")
                || scenario.has("policyText")
                || scenario.has("provider");
    }

    private FeatureGates gates(JsonNode scenario) throws IOException {
        try {
            return parseGates(scenario);
        } catch (IllegalArgumentException e) {
            throw new IOException("featureGates: " + e.getMessage(), e);
        }
    }

    private FeatureGates parseGates(JsonNode scenario) {
        FeatureGates gates = rules.gates();
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
        PolicyResolver resolver = new PolicyResolver(gates, hardWeight, rules.strictV117(), registry);
        if (rules.provider() != null) {
            return resolver.resolveProvider(rules.provider());
        }
        if (scenario.has("provider")) {
            return resolver.resolveProvider(scenario.get("provider").asText());
        }
        String text = scenario.has("policyText")
                ? scenario.get("policyText").asText()
                : scenario.path("policy").toString();
        return resolver.resolve(resolver.reader().allowingEmpty().read(text, "policy"));
    }

    private Decider legacy(EffectivePolicy policy, RecordedCluster cluster) {
        FunctionAlgorithm algorithm = FunctionAssembly.assemble(policy, registry, name -> "");
        return new Decider() {
            @Override
            public Evaluation evaluate(PodInfo pod) {
                return algorithm.evaluate(pod, cluster.cluster, cluster::nominatedOn);
            }

            @Override
            public PreemptionResult preempt(PodInfo pod, Evaluation evaluation) {
                return algorithm.preempt(
                        pod, cluster.cluster, cluster::nominatedOn, evaluation, Preemption.of(policy.gates()));
            }
        };
    }

    private Decider framework(EffectivePolicy policy, RecordedCluster cluster) {
        SchedulingCycle cycle = SchedulingCycle.of(
                new ProviderAdapter(registry, name -> "").adapt(policy, cluster.cluster), cluster.cluster);
        return new Decider() {
            @Override
            public Evaluation evaluate(PodInfo pod) {
                return cycle.evaluate(pod, cluster::nominatedOn);
            }

            @Override
            public PreemptionResult preempt(PodInfo pod, Evaluation evaluation) {
                return cycle.preemption()
                        .preempt(pod, cluster::nominatedOn, evaluation.failures(), Preemption.of(policy.gates()));
            }
        };
    }

    /** Algorithms of the scenario's policy that this program does not have, sorted; such a scenario is not compared. */
    public SortedSet<String> missing(JsonNode scenario) throws IOException {
        SortedSet<String> missing = new TreeSet<>();
        if (!hasPolicy(scenario)) {
            return missing;
        }
        try {
            resolve(scenario, gates(scenario));
        } catch (PolicyException e) {
            e.problems().stream()
                    .filter(problem -> problem.code().equals(PolicyProblemCode.NOT_BUILT_IN))
                    .forEach(problem -> missing.add(problem.value()));
        }
        return missing;
    }

    /** Null, or why the outcome of this mode is not compared. */
    public static @Nullable String excepted(JsonNode scenario, ReplayMode mode) {
        JsonNode expected = mode.expected(scenario);
        if (expected.isMissingNode()) {
            return "no outcome recorded for this mode";
        }
        return expected.has("crash") ? "v1.17 died" : null;
    }

    /** The recorded placements of a current release. */
    static final class RecordedPlacements {
        private final Map<String, String> nodes = new HashMap<>();
        private final boolean recorded;

        RecordedPlacements(JsonNode scenario) {
            JsonNode expected = scenario.path("expected");
            JsonNode modern = expected.path(ReplayMode.MODERN.key());
            JsonNode pods = (modern.isMissingNode() ? expected.path(ReplayMode.RELEASE.key()) : modern).path("pods");
            recorded = pods.isArray();
            for (JsonNode pod : pods) {
                if (pod.has("bound")) {
                    nodes.put(pod.path("pod").asText(), pod.path("bound").asText());
                }
            }
        }

        /** The node of the pod; null for none. Without recorded placements, the own decision counts. */
        @Nullable
        String node(PodInfo pod, @Nullable String decided) {
            return recorded ? nodes.get(pod.key()) : decided;
        }
    }

    /**
     * The options of policies of scenarios.
     *
     * @param strictV117 exactly as v1.17, which the recordings of v1.17 show
     * @param gates gates to which a scenario adds its own, and the release of the clusters
     * @param provider replaces the scheduler of a scenario; null for that of the scenario
     * @param followsRecording puts each pod where it was recorded to go, if anywhere, before the next is decided
     */
    public record ReplayRules(
            boolean strictV117,
            FeatureGates gates,
            @Nullable String provider,
            boolean followsRecording) {
        /** v1.17 to the letter. */
        public static final ReplayRules STRICT = new ReplayRules(true, FeatureGates.defaults(), null, false);

        /** Options of policies in a cluster of a release. */
        public static ReplayRules inClusterOf(Release release, @Nullable String provider) {
            return new ReplayRules(false, FeatureGates.defaults().at(release), provider, true);
        }

        /** The release of the plugins in {@link ReplayMode#MODERN}. */
        Release modernRelease() {
            return strictV117 ? ReplayMode.MODERN_RECORDINGS : gates.release();
        }

        /** v1.17 to the letter, by a provider. */
        public static ReplayRules strict(@Nullable String provider) {
            return new ReplayRules(true, FeatureGates.defaults(), provider, false);
        }
    }

    /** The cluster and the pending pods of a recording. */
    static final class RecordedCluster {
        final ClusterState cluster = new ClusterState();
        final List<PodInfo> pending = new ArrayList<>();
        /** Node to the pending pods nominated there. */
        final Map<String, List<PodInfo>> nominated = new HashMap<>();

        /** Whether there are devices or claims on any. */
        final boolean hasClaims;

        RecordedCluster(JsonNode scenario, FeatureGates gates) throws IOException {
            ObjectReader reader = ObjectReader.ofRecording(gates);
            for (JsonNode object : scenario.path("cluster")) {
                add(read(reader, object));
            }
            for (JsonNode object : scenario.path("pending")) {
                if (read(reader, object) instanceof PodInfo pod) {
                    pending.add(pod);
                    nominate(pod);
                }
            }
            hasClaims = !cluster.objects(ResourceKind.RESOURCE_SLICES, ResourceSliceInfo.class, "")
                            .isEmpty()
                    || pending.stream()
                            .anyMatch(pod -> !pod.spec().resourceClaims().isEmpty());
            cluster.startCycle();
        }

        private static @Nullable ClusterObject read(ObjectReader reader, JsonNode object) throws IOException {
            try (TreeTraversingParser parser = new TreeTraversingParser(object)) {
                parser.nextToken();
                return reader.read(parser, null);
            }
        }

        private void add(@Nullable ClusterObject object) {
            if (object instanceof Node node) {
                cluster.putNode(node);
            } else if (object instanceof PodInfo pod) {
                // The informer filters finished pods, and a pod without a UID has no place in the cache.
                if (!pod.nodeName().isEmpty() && !pod.isFinished() && !pod.uid().isEmpty()) {
                    cluster.addPod(pod);
                }
            } else if (object != null) {
                cluster.putObject(object);
            }
        }

        private void nominate(PodInfo pod) {
            if (!pod.nominatedNodeName().isEmpty()) {
                nominated
                        .computeIfAbsent(pod.nominatedNodeName(), n -> new ArrayList<>())
                        .add(pod);
            }
        }

        /** The pod loses its nomination. */
        void dropNomination(PodInfo pod) {
            List<PodInfo> there = nominated.get(pod.nominatedNodeName());
            if (there != null) {
                there.removeIf(other -> other.isSame(pod));
            }
        }

        List<PodInfo> nominatedOn(String node) {
            return nominated.getOrDefault(node, List.of());
        }

        /** The pod now runs on the node. */
        void place(PodInfo pod, String node) {
            place(pod, node, true);
        }

        /**
         * The pod now runs on the node.
         *
         * @param endsNomination false for recordings without preemption, in which pods stay nominated
         */
        void place(PodInfo pod, String node, boolean endsNomination) {
            cluster.addPod(pod.withNodeName(node));
            if (endsNomination) {
                dropNomination(pod);
            }
        }
    }
}
