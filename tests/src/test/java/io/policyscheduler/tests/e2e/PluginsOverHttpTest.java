package io.policyscheduler.tests.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.live.Algorithms;
import io.policyscheduler.cmd.live.ProfileSettings;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.framework.config.ConfigurationReader;
import io.policyscheduler.framework.config.ConfigurationReader.ConfigurationException;
import io.policyscheduler.framework.config.SchedulerConfiguration;
import io.policyscheduler.framework.plugin.WaitingPods;
import io.policyscheduler.framework.profile.InTreePlugins;
import io.policyscheduler.framework.profile.PluginRegistry;
import io.policyscheduler.framework.profile.Profile;
import io.policyscheduler.framework.profile.ProfileBuilder;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A scheduler with a profile of plugins, one of which permits pods in pairs, against an API server. */
class PluginsOverHttpTest {
    private static final Duration LONG = Duration.ofMinutes(10);
    private static final String CONFIGURATION = """
        apiVersion: kubescheduler.config.k8s.io/v1
        kind: KubeSchedulerConfiguration
        profiles:
        - schedulerName: policy-scheduler
          plugins:
            multiPoint:
              enabled:
              - name: Gang
              disabled:
              - name: DynamicResources
              - name: NodeDeclaredFeatures
        """;

    private final LiveCluster live = new LiveCluster();
    private final ApiCalls api = live.api();
    private volatile @Nullable GangPlugin plugin;

    @AfterEach
    void close() {
        live.close();
    }

    private GangPlugin gang() {
        GangPlugin made = plugin;
        assertNotNull(made);
        return made;
    }

    private void start(Duration timeout) {
        live.addNodes(2, "4");
        live.startScheduler(List.of(new ProfileSettings(
                Manifest.SCHEDULER,
                "gang.yaml",
                "a gang",
                List.of(),
                ProfileSettings.Source.of(
                        (cluster, waitingPods, clock, claims, api) -> profile(timeout, cluster, waitingPods, clock)),
                List.of(),
                false,
                FeatureGates.defaults(),
                true,
                0,
                null)));
    }

    private Profile profile(Duration timeout, ClusterState cluster, WaitingPods waitingPods, Clock clock) {
        PluginRegistry registry = PluginRegistry.empty()
                .with(new InTreePlugins(Algorithms.registry(), FeatureGates.defaults(), name -> "").factories())
                .with(Map.of(GangPlugin.NAME, handle -> {
                    GangPlugin made = new GangPlugin(handle.waitingPods(), timeout);
                    plugin = made;
                    return made;
                }));
        try {
            SchedulerConfiguration configuration = new ConfigurationReader().read(CONFIGURATION, "gang.yaml");
            return new ProfileBuilder(registry, cluster, waitingPods, clock)
                    .build(configuration, configuration.profiles().get(0));
        } catch (ConfigurationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static ObjectNode member(String name, String gang) {
        ObjectNode pod = Manifest.pod(name, "100m");
        pod.withObject("/metadata/labels").put("gang", gang);
        return pod;
    }

    private void await(String what, BooleanSupplier condition) {
        Await.until(LiveCluster.PATIENCE, what, condition, () -> gang().calls() + " " + live.state());
    }

    @Test
    void aPodWaitsForTheOtherOfItsGang() {
        start(LONG);
        api.createPod(member("a0", "a"));
        await("a0 waits", () -> gang().calls("permit a0") == 1);
        api.createPod(member("b0", "b"));
        await("b0 waits", () -> gang().calls("permit b0") == 1);
        api.createPod(Manifest.pod("alone", "100m"));
        live.awaitBound("alone");
        assertEquals(List.of("", ""), List.of(live.nodeOf("a0"), live.nodeOf("b0")));

        api.createPod(member("a1", "a"));
        live.awaitBound("a0");
        live.awaitBound("a1");
        await("PostBind of both", () -> gang().calls("postBind a0") == 1 && gang().calls("postBind a1") == 1);
        assertEquals("", live.nodeOf("b0"));
        for (String pod : List.of("a0", "a1", "b0")) {
            assertEquals(1, gang().calls("reserve " + pod), pod);
            assertEquals(0, gang().calls("unreserve " + pod), pod);
            assertEquals(pod.equals("b0") ? 0 : 1, gang().calls("preBind " + pod), pod);
            assertEquals(List.of(), live.events(pod, "FailedScheduling"));
        }
        live.assertSound();
    }

    @Test
    void aWaitThatIsInVainIsToldAndThePodIsTriedAgain() {
        start(Duration.ofMillis(300));
        api.createPod(member("a0", "a"));
        String message = "0/1 nodes are available: 1 rejected due to timeout after waiting 300ms at plugin Gang.";
        assertEquals(List.of(message), live.awaitEvents("a0", "FailedScheduling"));
        assertEquals(
                "Unschedulable", live.awaitUnschedulable("a0").path("reason").asText());
        assertEquals(message, live.condition("a0").path("message").asText());
        await("what was reserved is taken back", () -> gang().calls("unreserve a0") == gang().calls("reserve a0"));

        gang().setTimeout(LONG);
        int before = gang().calls("permit a0");
        api.createNode(Manifest.node("n9", "4"));
        await("a0 is tried again", () -> gang().calls("permit a0") > before);
        api.createPod(member("a1", "a"));
        live.awaitBound("a0");
        live.awaitBound("a1");
        await("PostBind of both", () -> gang().calls("postBind a0") == 1 && gang().calls("postBind a1") == 1);
        assertEquals(gang().calls("reserve a0") - 1, gang().calls("unreserve a0"));
        assertEquals(1, gang().calls("reserve a1"));
        assertEquals(0, gang().calls("unreserve a1"));
        live.assertSound();
    }

    @Test
    void aPodThatIsDeletedWhileItWaitsLeavesNothingBehind() {
        start(LONG);
        api.createPod(member("a0", "a"));
        await("a0 waits", () -> gang().calls("permit a0") == 1);
        api.deletePod("a0");
        await("what was reserved is taken back", () -> gang().calls("unreserve a0") == 1);
        api.createPod(member("a1", "a"));
        await("a1 waits", () -> gang().calls("permit a1") == 1);
        api.createPod(member("a2", "a"));
        live.awaitBound("a1");
        live.awaitBound("a2");
        assertEquals(1, gang().calls("reserve a0"));
        assertEquals(0, gang().calls("unreserve a1") + gang().calls("unreserve a2"));
        live.assertSound();
    }
}
