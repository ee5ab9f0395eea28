package io.policyscheduler.tests.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.engine.cluster.release.Release;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Preemption end to end: victims are deleted, and the pod that needs their room gets it. */
class PreemptionTest {
    @ParameterizedTest
    @ValueSource(strings = {"1.17", "1.34", "1.35", "1.36"})
    void evictsPodsOfLowerPriority(Release release) {
        try (LiveCluster live = new LiveCluster(release)) {
            live.addNodes(1, "4");
            addClasses(live);
            live.startScheduler();
            for (int i = 0; i < 4; i++) {
                live.api().createPod(withGrace(Manifest.podWithPriority("low" + i, "1", "low")));
                live.awaitBound("low" + i);
            }
            live.api().createPod(Manifest.podWithPriority("high", "2", "high"));
            awaitNomination(live, "high", "n0");
            live.awaitBound("high");
            List<String> victims = IntStream.range(0, 4)
                    .mapToObj(i -> "low" + i)
                    .filter(name -> live.cluster().get("pods", "default", name).isEmpty())
                    .toList();
            assertEquals(2, victims.size(), live::state);
            for (String victim : victims) {
                assertEquals(List.of("Preempted by default/high on node n0"), live.awaitEvents(victim, "Preempted"));
            }
            assertEquals(
                    "0/1 nodes are available: 1 Insufficient cpu.",
                    live.awaitEvents("high", "FailedScheduling").get(0));
            live.assertSound();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.17", "1.34", "1.35", "1.36"})
    void sparesWhatADisruptionBudgetProtects(Release release) {
        try (LiveCluster live = new LiveCluster(release)) {
            live.addNodes(2, "4");
            addClasses(live);
            live.cluster().load(budget(release));
            live.startScheduler();
            // Without the budget, the pod of the lowest priority would have to go.
            ObjectNode withoutCluster = withGrace(Manifest.podWithPriority("guarded", "4", "low"));
            withoutCluster.withObject("/metadata/labels").put("guarded", "yes");
            live.api().createPod(withoutCluster);
            live.awaitBound("guarded");
            live.api().createPod(withGrace(Manifest.podWithPriority("unguarded", "4", "medium")));
            live.awaitBound("unguarded");
            String node = live.nodeOf("unguarded");
            live.api().createPod(Manifest.podWithPriority("high", "2", "high"));
            awaitNomination(live, "high", node);
            live.awaitBound("high");
            assertEquals(node, live.nodeOf("high"));
            assertEquals(List.of(), live.events("guarded", "Preempted"));
            live.assertSound();
        }
    }

    /** The pod that overtakes another leaves too little for it, and the nomination of that one must not keep others away. */
    @ParameterizedTest
    @ValueSource(strings = {"1.17", "1.34", "1.35", "1.36"})
    void endsANominationThatCannotBeHonored(Release release) {
        try (LiveCluster live = new LiveCluster(release)) {
            live.addNodes(1, "4");
            addClasses(live);
            live.startScheduler();
            ObjectNode victim = Manifest.podWithPriority("victim", "2", "low");
            victim.withObject("/metadata").putArray("finalizers").add("example.com/hold");
            live.api().createPod(victim);
            live.awaitBound("victim");
            live.api().createPod(Manifest.podWithPriority("overtaken", "3", "medium"));
            awaitNomination(live, "overtaken", "n0");
            live.api().createPod(Manifest.podWithPriority("high", "1500m", "high"));
            live.awaitBound("high");
            awaitNomination(live, "overtaken", "");
            // Next to the victim, which ends only when its finalizer is removed.
            live.api().createPod(Manifest.podWithPriority("small", "500m", "low"));
            live.awaitBound("small");
            live.assertSound();
        }
    }

    /**
     * The status must not name a node that no longer exists, and the pod must be placed on the node that replaces it.
     * Without any node, no preemption is tried, and the condition of the pod clears the nomination.
     */
    @ParameterizedTest
    @CsvSource({"1.17, true", "1.17, false", "1.36, true", "1.36, false"})
    void endsANominationToADeletedNode(Release release, boolean hasSmallNode) {
        try (LiveCluster live = new LiveCluster(release)) {
            live.addNodes(1, "4");
            addClasses(live);
            if (hasSmallNode) {
                live.cluster().load(Manifest.node("small", "1"));
            }
            live.startScheduler();
            ObjectNode victim = Manifest.podWithPriority("victim", "2", "low");
            victim.withObject("/metadata").putArray("finalizers").add("example.com/hold");
            live.api().createPod(victim);
            live.awaitBound("victim");
            live.api().createPod(Manifest.podWithPriority("nominee", "3", "medium"));
            awaitNomination(live, "nominee", "n0");
            live.cluster().store().modify(live.cluster().catalog().named("nodes"), "", "n0", false, node -> null);
            awaitNomination(live, "nominee", "");
            live.cluster().load(Manifest.node("other", "4"));
            live.awaitBound("nominee");
            live.assertSound();
        }
    }

    private static void awaitNomination(LiveCluster live, String pod, String node) {
        Await.until(
                LiveCluster.PATIENCE,
                "pod " + pod + " is nominated to " + node,
                () -> live.cluster()
                        .get("pods", "default", pod)
                        .filter(object -> object.path("status")
                                .path("nominatedNodeName")
                                .asText()
                                .equals(node))
                        .isPresent(),
                live::state);
    }

    private static void addClasses(LiveCluster live) {
        live.cluster().load(Manifest.priorityClass("scheduling.k8s.io/v1", "low", 10));
        live.cluster().load(Manifest.priorityClass("scheduling.k8s.io/v1", "medium", 100));
        live.cluster().load(Manifest.priorityClass("scheduling.k8s.io/v1", "high", 1000));
    }

    private static ObjectNode withGrace(ObjectNode pod) {
        pod.withObject("/spec").put("terminationGracePeriodSeconds", 30);
        return pod;
    }

    private static ObjectNode budget(Release release) {
        String version = release.equals(Release.V1_17) ? "policy/v1beta1" : "policy/v1";
        return Manifest.json("{'apiVersion':'" + version + "','kind':'PodDisruptionBudget','metadata':{'name':'b',"
                + "'namespace':'default'},'spec':{'minAvailable':1,'selector':{'matchLabels':{'guarded':'yes'}}},"
                + "'status':{'disruptionsAllowed':0,'currentHealthy':1,'desiredHealthy':1,'expectedPods':1}}");
    }
}
