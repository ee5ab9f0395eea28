package io.policyscheduler.framework.profile;

import static io.policyscheduler.engine.testing.Clusters.cluster;
import static io.policyscheduler.engine.testing.FakeAlgorithms.priority;
import static io.policyscheduler.engine.testing.FakeAlgorithms.rejecting;
import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.engine.algorithm.AlgorithmRegistry;
import io.policyscheduler.engine.algorithm.KnownAlgorithms;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.Priority.WeightedPriority;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.resource.Arithmetic;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.EffectivePolicy.PolicyArguments;
import io.policyscheduler.engine.policy.EffectivePolicy.RuleSet;
import io.policyscheduler.engine.policy.Origin;
import io.policyscheduler.engine.policy.Providers;
import io.policyscheduler.engine.reader.ObjectReader;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.CycleState.StateKeys;
import io.policyscheduler.framework.plugin.FilterPlugin;
import io.policyscheduler.framework.plugin.Status;
import io.policyscheduler.framework.profile.InTreePlugins.SchedulingGates;
import io.policyscheduler.framework.profile.Profile.Family;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ProviderAdapterTest {
    private static final AlgorithmRegistry REGISTRY = registry();

    /** Registers every algorithm by name; a predicate rejects each node with its own name as the reason. */
    private static AlgorithmRegistry registry() {
        AlgorithmRegistry.Builder builder = AlgorithmRegistry.builder();
        List<String> predicates = new ArrayList<>(KnownAlgorithms.predicates());
        predicates.add("OwnRule");
        for (String name : predicates) {
            builder.predicate(name, config -> rejecting(name, List.of("n1"), name, "second"));
        }
        List<String> priorities = new ArrayList<>(KnownAlgorithms.priorities());
        priorities.add("OwnScore");
        for (String name : priorities) {
            builder.priority(name, config -> priority(name, node -> 1));
        }
        return builder.build();
    }

    private static EffectivePolicy policy(
            Collection<String> predicates, Map<String, Long> priorities, boolean checkAll, boolean strict) {
        Origin origin = new Origin(Origin.Kind.FILE, List.of(), "");
        TreeMap<String, Origin> origins = new TreeMap<>();
        predicates.forEach(name -> origins.put(name, origin));
        TreeMap<String, Origin> priorityOrigins = new TreeMap<>();
        priorities.keySet().forEach(name -> priorityOrigins.put(name, origin));
        List<String> none = List.of();
        return new EffectivePolicy(
                "test.cfg",
                origins,
                new TreeMap<>(priorities),
                priorityOrigins,
                new PolicyArguments(none, none, none, none, none, none, List.of(), Map.of(), Map.of()),
                List.of(),
                Set.of(),
                checkAll,
                0,
                1,
                FeatureGates.defaults(),
                strict,
                List.of(),
                RuleSet.none());
    }

    private static Profile adapt(EffectivePolicy policy) {
        return new ProviderAdapter(REGISTRY, name -> "").adapt(policy, new ClusterState());
    }

    private static Profile adapt(String... predicates) {
        return adapt(policy(List.of(predicates), Map.of(), false, false));
    }

    /** Returns each filter as {@code plugin=reasons}. */
    private static List<String> filters(Profile profile) {
        ClusterState cluster = cluster(node("n1").build());
        PodInfo pod = pod("p").build();
        CycleState state = profile.stateKeys().newState();
        List<String> filters = new ArrayList<>();
        profile.preFilters().forEach(plugin -> plugin.preFilter(state, PodContext.of(pod, cluster)));
        for (FilterPlugin plugin : profile.filters()) {
            filters.add(plugin.name() + "="
                    + plugin.filter(state, pod, cluster.nodes().get(0)).message());
        }
        return filters;
    }

    private static List<String> scores(Profile profile) {
        return profile.scores().stream()
                .map(score -> score.plugin().name() + "=" + score.weight())
                .toList();
    }

    @Test
    void theDefaultProvider() {
        Providers.Provider provider =
                Providers.find(Providers.DEFAULT, FeatureGates.defaults()).orElseThrow();
        Profile profile = adapt(policy(provider.predicates(), provider.priorities(), false, false));
        assertEquals("test.cfg", profile.name());
        assertEquals(
                List.of(
                        "NodeUnschedulable=CheckNodeUnschedulable",
                        "NodeResourcesFit=PodFitsResources",
                        "NodeName=HostName",
                        "NodePorts=PodFitsHostPorts",
                        "NodeAffinity=MatchNodeSelector",
                        "VolumeRestrictions=NoDiskConflict",
                        "TaintToleration=PodToleratesNodeTaints",
                        "EBSLimits=MaxEBSVolumeCount",
                        "GCEPDLimits=MaxGCEPDVolumeCount",
                        "NodeVolumeLimits=MaxCSIVolumeCountPred",
                        "AzureDiskLimits=MaxAzureDiskVolumeCount",
                        "VolumeBinding=CheckVolumeBinding",
                        "VolumeZone=NoVolumeZoneConflict",
                        "InterPodAffinity=MatchInterPodAffinity"),
                filters(profile));
        assertEquals(
                List.of(
                        "NodeResourcesBalancedAllocation=1",
                        "ImageLocality=1",
                        "InterPodAffinity=1",
                        "NodeResourcesLeastAllocated=1",
                        "NodeAffinity=1",
                        "NodePreferAvoidPods=10000",
                        "DefaultPodTopologySpread=1",
                        "TaintToleration=1"),
                scores(profile));
        assertEquals(List.of(), profile.functions());
        assertFalse(profile.checkAllFilters());
        assertFalse(profile.scoresNothing());
    }

    @Test
    void aPluginOfTwoPredicatesAppearsOnce() {
        assertEquals(
                List.of(
                        "NodeResourcesFit=PodFitsResources",
                        "NodeName=HostName",
                        "NodePorts=PodFitsHostPorts",
                        "NodeAffinity=MatchNodeSelector"),
                filters(adapt("PodFitsResources", "HostName", "GeneralPredicates", "MatchNodeSelector")));
        // Alone, they have the order of v1.17's list.
        assertEquals(
                List.of(
                        "NodeName=HostName",
                        "NodePorts=PodFitsHostPorts",
                        "NodeAffinity=MatchNodeSelector",
                        "NodeResourcesFit=PodFitsResources"),
                filters(adapt("PodFitsResources", "MatchNodeSelector", "PodFitsHostPorts", "HostName")));
    }

    @Test
    void predicatesWithoutPluginComeLastUnderTheirOwnName() {
        assertEquals(
                List.of("InterPodAffinity=MatchInterPodAffinity", "OwnRule=OwnRule"),
                filters(adapt("OwnRule", "MatchInterPodAffinity", "PodFitsPorts")));
    }

    @Test
    void checkAllGivesEveryReason() {
        Profile profile = adapt(policy(List.of("HostName"), Map.of(), true, false));
        assertTrue(profile.checkAllFilters());
        assertEquals(List.of("NodeName=HostName, second"), filters(profile));
    }

    @Test
    void prioritiesWithoutPluginStayFunctions() {
        Map<String, Long> weights =
                Map.of("ServiceSpreadingPriority", 2L, "OwnScore", 3L, "TaintTolerationPriority", 4L, "NodeLabel", 5L);
        Profile profile = adapt(policy(List.of(), weights, false, false));
        assertEquals(List.of("NodeLabel=5", "TaintToleration=4"), scores(profile));
        assertEquals(
                List.of("OwnScore=3", "ServiceSpreadingPriority=2"),
                profile.functions().stream()
                        .map(function -> function.priority().name() + "=" + function.weight())
                        .toList());
        assertTrue(adapt().scoresNothing());
    }

    /** v1.17 cuts a plugin's weight to 32 bits, where 0 stands for 1; functions keep theirs. */
    @Test
    void strictWeights() {
        Map<String, Long> weights = Map.of(
                "TaintTolerationPriority", (1L << 32) + 7,
                "NodeAffinityPriority", 1L << 32,
                "ServiceSpreadingPriority", (1L << 32) + 7);
        assertEquals(
                List.of("NodeAffinity=4294967296", "TaintToleration=4294967303"),
                scores(adapt(policy(List.of(), weights, false, false))));
        Profile strict = adapt(policy(List.of(), weights, false, true));
        assertEquals(List.of("NodeAffinity=1", "TaintToleration=7"), scores(strict));
        assertEquals(
                List.of((1L << 32) + 7),
                strict.functions().stream().map(WeightedPriority::weight).toList());
    }

    /** An API server that has the gate GenericWorkload keeps the group of a pod; files are read without it. */
    @Test
    void podsOfGroupsAreHeldBack() throws IOException {
        ObjectNode tree = JsonNodeFactory.instance.objectNode();
        tree.withObject("/metadata").put("name", "p").put("namespace", "default");
        tree.withObject("/spec/schedulingGroup").put("podGroupName", "g");
        FeatureGates gates = FeatureGates.defaults();
        List<String> unknown = new ArrayList<>();
        PodInfo served = (PodInfo) new ObjectReader(gates, false, unknown::add).readTree("Pod", tree);
        PodInfo recorded = (PodInfo) new ObjectReader(gates, false).readTree("Pod", tree);
        assertEquals(
                List.of(Status.unresolvable("spec.schedulingGroup is not supported"), Status.SUCCESS),
                Stream.of(served, recorded)
                        .map(Objects::requireNonNull)
                        .map(new SchedulingGates()::preEnqueue)
                        .toList());
        assertEquals(List.of("spec.schedulingGroup"), unknown);
    }

    /** A node is added to one of two zones: v1.17 evaluates another one twice, and one not at all. */
    @Test
    void onlyExactlyV117AnAttemptCanOmitANode() {
        Map<Arithmetic, List<String>> nodes = new EnumMap<>(Arithmetic.class);
        for (Arithmetic arithmetic : Arithmetic.values()) {
            Profile profile = Profile.builder("test", Family.LEGACY, new StateKeys())
                    .arithmetic(arithmetic)
                    .build();
            ClusterState state = new ClusterState();
            List.of("a1", "b1", "b2", "b3").forEach(name -> state.putNode(inZone(name)));
            profile.startCycle(state);
            state.putNode(inZone("a2"));
            profile.startCycle(state);
            nodes.put(arithmetic, state.nodes().stream().map(NodeInfo::name).toList());
        }
        assertEquals(
                Map.of(
                        Arithmetic.WRAPPING,
                        List.of("a2", "a1", "b1", "a2", "b2"),
                        Arithmetic.SATURATING,
                        List.of("a2", "a1", "b1", "b2", "b3")),
                nodes);
    }

    private static Node inZone(String name) {
        return node(name).label(Node.ZONE, name.substring(0, 1)).build();
    }
}
