package io.policyscheduler.framework.modern;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.algorithm.NodeFailure;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.placement.Preemption;
import io.policyscheduler.framework.cycle.Evaluator.PostFilters;
import io.policyscheduler.framework.cycle.SchedulingCycle;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.Plugin;
import io.policyscheduler.framework.plugin.PluginFactory;
import io.policyscheduler.framework.profile.InTreePlugins.PrioritySort;
import io.policyscheduler.framework.profile.Profile;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class ModernProfileTest {
    private static List<String> names(List<? extends Plugin> plugins) {
        return plugins.stream().map(Plugin::name).toList();
    }

    @Test
    void theDefaultProfile() {
        Profile profile =
                ModernProfile.of(new ClusterState()).release(Release.V1_34).build();
        assertEquals(
                "NodeAffinity NodePorts NodeResourcesFit VolumeRestrictions NodeVolumeLimits VolumeBinding VolumeZone"
                        + " PodTopologySpread InterPodAffinity DynamicResources",
                String.join(" ", names(profile.preFilters())));
        assertEquals(
                "NodeUnschedulable NodeName TaintToleration NodeAffinity NodePorts NodeResourcesFit VolumeRestrictions"
                        + " NodeVolumeLimits VolumeBinding VolumeZone PodTopologySpread InterPodAffinity DynamicResources",
                String.join(" ", names(profile.filters())));
        assertEquals(List.of("DynamicResources", "DefaultPreemption"), names(profile.postFilters()));
        assertEquals(
                "TaintToleration NodeAffinity NodeResourcesFit VolumeBinding PodTopologySpread InterPodAffinity"
                        + " NodeResourcesBalancedAllocation",
                String.join(" ", names(profile.preScores())));
        assertEquals(
                "TaintToleration=3 NodeAffinity=2 NodeResourcesFit=1 VolumeBinding=1 PodTopologySpread=2"
                        + " InterPodAffinity=2 NodeResourcesBalancedAllocation=1 ImageLocality=1",
                profile.scores().stream()
                        .map(score -> score.plugin().name() + "=" + score.weight())
                        .collect(Collectors.joining(" ")));
        assertEquals(List.of("VolumeBinding", "DynamicResources"), names(profile.reserves()));
    }

    /** Otherwise the scheduler writes a nomination for each pod that it binds. */
    @Test
    void noPreBindPluginHasWorkForAPodWithoutVolumesAndClaims() {
        PluginFixture fixture = new PluginFixture();
        fixture.node("n1", "{}");
        Profile profile =
                ModernProfile.of(fixture.cluster).release(Release.NEWEST).build();
        SchedulingCycle cycle = SchedulingCycle.of(profile, fixture.cluster);
        PodInfo pod = fixture.pod("p", "{}", "{}");
        CycleState state = cycle.newState();
        assertNull(cycle.evaluate(pod, NominatedPods.NONE, state).error());
        assertEquals(
                List.of("VolumeBinding skip", "DynamicResources skip"),
                profile.preBinds().stream()
                        .map(plugin ->
                                plugin.name() + " " + PluginFixture.text(plugin.preBindPreFlight(state, pod, "n1")))
                        .toList());
    }

    @Test
    void olderPluginsKeepTheNamesThatAreLeft() {
        PluginFactory older = handle -> new PrioritySort();
        Map<String, PluginFactory> all = ModernPlugins.over(Map.of("NodeLabel", older, "NodeName", older));
        assertEquals(older, all.get("NodeLabel"));
        assertEquals(ModernPlugins.factories().keySet().size() + 1, all.size());
        assertTrue(all.get("NodeName") != older);
    }

    /** The message for a pod that fits on no node, with the default profile. */
    @Test
    void theWholeMessage() {
        PluginFixture fixture = new PluginFixture();
        fixture.node("n1", "{}", "{cpu: '1'}", "{}")
                .node("n2", "{}", "{cpu: '1'}", "{unschedulable: true}")
                .placed("a", "{}", "n1", "{containers: [{resources: {requests: {cpu: '1'}}}]}");
        Profile profile =
                ModernProfile.of(fixture.cluster).release(Release.V1_34).build();
        SchedulingCycle cycle = SchedulingCycle.of(profile, fixture.cluster);
        PodInfo pod = fixture.pod("p", "{}", "{containers: [{resources: {requests: {cpu: '1'}}}]}");
        CycleState state = cycle.newState();
        Evaluation evaluation = cycle.evaluate(pod, NominatedPods.NONE, state);
        assertEquals("0/2 nodes are available: 1 Insufficient cpu, 1 node(s) were unschedulable.", evaluation.error());
        assertEquals(
                evaluation.error(),
                cycle.decide(pod, NominatedPods.NONE, cycle.newState()).message());
        assertEquals(
                "no new claims to deallocate, preemption: 0/2 nodes are available: 1 No preemption victims found for"
                        + " incoming pod, 1 Preemption is not helpful for scheduling.",
                PostFilters.run(
                        profile,
                        state,
                        pod,
                        evaluation::failures,
                        () -> PostFilters.statusOf(cycle.preemption()
                                .preempt(pod, NominatedPods.NONE, evaluation.failures(), new Preemption(true, true)))));
    }

    @Test
    void aClaimThatIsMissingKeepsPreemptionFromRunning() {
        PluginFixture fixture = new PluginFixture();
        fixture.node("n1", "{}");
        Profile profile =
                ModernProfile.of(fixture.cluster).release(Release.V1_34).build();
        SchedulingCycle cycle = SchedulingCycle.of(profile, fixture.cluster);
        PodInfo pod = fixture.pod("p", "{}", "{volumes: [{persistentVolumeClaim: {claimName: 'c'}}]}");
        CycleState state = cycle.newState();
        Evaluation evaluation = cycle.evaluate(pod, NominatedPods.NONE, state);
        assertEquals("0/1 nodes are available: persistentvolumeclaim \"c\" not found.", evaluation.error());
        assertEquals(
                new NodeFailure(List.of("persistentvolumeclaim \"c\" not found"), true, "VolumeRestrictions"),
                evaluation.rejectedBefore());
        assertEquals("not found", PostFilters.run(profile, state, pod, evaluation::failures, () -> {
            throw new AssertionError("preemption runs");
        }));
    }

    /** A nominated node outside the narrowed search keeps its own reason. */
    @Test
    void aPromisedNodeOutsideOfTheSearch() {
        PluginFixture fixture = new PluginFixture();
        fixture.node("n1", "{}", "{}", "{unschedulable: true}")
                .node("n2", "{}", "{}", "{unschedulable: true}")
                .node("n3", "{}");
        SchedulingCycle cycle = SchedulingCycle.of(
                ModernProfile.of(fixture.cluster).release(Release.V1_34).build(), fixture.cluster);
        PodInfo pod = fixture.pod(
                        "p",
                        "{}",
                        "{affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution:"
                                + " {nodeSelectorTerms: [{matchFields: [{key: 'metadata.name', operator: 'In', values:"
                                + " ['n1']}]}]}}}}")
                .withNominatedNodeName("n2");
        String expected = "0/3 nodes are available: 1 node(s) didn't satisfy plugin(s) [NodeAffinity], 2 node(s) were"
                + " unschedulable.";
        assertEquals(expected, cycle.evaluate(pod, NominatedPods.NONE).error());
        assertEquals(
                expected,
                cycle.decide(pod, NominatedPods.NONE, cycle.newState()).message());
    }
}
