package io.policyscheduler.cmd.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.ApiClient.Answer;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ObjectKey;
import io.policyscheduler.engine.cluster.release.Release;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Binding, eviction, kubelets, and faults. */
class PodSubresourcesTest {
    private static final String PODS = "/api/v1/namespaces/default/pods";

    private final TestClock clock = new TestClock();
    private final List<EmbeddedControlPlane> clusters = new ArrayList<>();

    private EmbeddedControlPlane start(Release release) throws IOException {
        EmbeddedControlPlane cluster = EmbeddedControlPlane.builder()
                .release(release)
                .clock(clock)
                .kubeletPeriod(Duration.ZERO)
                .nodeAdmission((pod, node, podsOnNode) ->
                        podsOnNode.size() < 2 ? null : "OutOfpods: Node didn't have enough resource: pods")
                .start();
        clusters.add(cluster);
        return cluster;
    }

    @AfterEach
    void close() {
        clusters.forEach(EmbeddedControlPlane::close);
    }

    @Test
    void bindsOnce() throws Exception {
        EmbeddedControlPlane cluster = start(Release.V1_34);
        ApiClient client = new ApiClient(cluster);
        client.post(PODS, Manifests.pod("p"));
        Answer bound = client.post(PODS + "/p/binding", Manifests.binding("p", "unknown-node"));
        assertEquals(201, bound.code());
        assertEquals("Success", bound.text("status"));
        JsonNode pod = client.get(PODS + "/p").body();
        assertEquals("unknown-node", Json.text(pod, "spec", "nodeName"));
        assertEquals(
                Manifests.json("{'type':'PodScheduled','status':'True','lastProbeTime':null,"
                        + "'lastTransitionTime':'2024-05-01T12:00:00Z'}"),
                pod.at("/status/conditions/0"));
        Answer again = client.post(PODS + "/p/binding", Manifests.binding("p", "unknown-node"));
        assertEquals(409, again.code());
        assertEquals("Conflict", again.text("reason"));
        assertEquals(
                "Operation cannot be fulfilled on pods/binding \"p\": pod p is already assigned to node"
                        + " \"unknown-node\"",
                again.text("message"));
        assertEquals(
                Manifests.json("{'name':'p','kind':'pods/binding'}"),
                again.body().path("details"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.17", "1.34", "1.35", "1.36"})
    void boundPodsGetTheTopologyOfTheirNode(Release release) throws Exception {
        EmbeddedControlPlane cluster = start(release);
        ApiClient client = new ApiClient(cluster);
        ObjectNode node = Manifests.node("n1");
        Json.child(Json.child(node, "metadata"), "labels")
                .put("topology.kubernetes.io/zone", "z1")
                .put("topology.kubernetes.io/region", "r1")
                .put("topology.kubernetes.io/rack", "k1");
        cluster.load(node);
        ObjectNode pod = Manifests.pod("p");
        Json.child(Json.child(pod, "metadata"), "labels")
                .put("app", "a")
                .put("topology.kubernetes.io/zone", "elsewhere");
        client.post(PODS, pod);
        client.patch("merge-patch", PODS + "/p/status", "{'status':{'nominatedNodeName':'n1'}}");
        client.post(PODS + "/p/binding", Manifests.binding("p", "n1"));
        ObjectNode placed = Manifests.pod("placed");
        Json.child(placed, "spec").put("nodeName", "n1");
        client.post(PODS, placed);
        boolean since = release.atLeast(35);
        assertEquals(
                Manifests.json(
                        since
                                ? "{'app':'a','topology.kubernetes.io/zone':'z1','topology.kubernetes.io/region':'r1'}"
                                : "{'app':'a','topology.kubernetes.io/zone':'elsewhere'}"),
                client.get(PODS + "/p").body().at("/metadata/labels"));
        assertEquals(
                since ? "z1" : "",
                client.get(PODS + "/placed").text("metadata", "labels", "topology.kubernetes.io/zone"));
        assertEquals(since ? "" : "n1", client.get(PODS + "/p").text("status", "nominatedNodeName"));
    }

    @Test
    void refusesOtherBindings() throws Exception {
        ApiClient client = new ApiClient(start(Release.V1_34));
        assertEquals(
                404,
                client.post(PODS + "/none/binding", Manifests.binding("none", "n"))
                        .code());
        client.post(PODS, Manifests.pod("p"));
        ObjectNode other = Manifests.binding("p", "n");
        Json.child(other, "metadata").put("uid", "other");
        Answer uid = client.post(PODS + "/p/binding", other);
        assertEquals(409, uid.code());
        assertTrue(uid.text("message").contains("Precondition failed: UID in precondition: other"));
        assertEquals(
                "target.name: Required value",
                client.post(PODS + "/p/binding", Manifests.json("{'metadata':{'name':'p'},'target':{}}"))
                        .text("message"));
        assertEquals(
                400,
                client.post(PODS + "/p/binding", Manifests.binding("q", "n")).code());
        assertEquals(405, client.get(PODS + "/p/binding").code());
        ObjectNode gated = Manifests.pod("gated");
        Json.list(Json.child(gated, "spec"), "schedulingGates").addObject().put("name", "g");
        client.post(PODS, gated);
        assertEquals(
                "Operation cannot be fulfilled on pods/binding \"gated\": pod gated has non-empty"
                        + " .spec.schedulingGates",
                client.post("/api/v1/namespaces/default/bindings", Manifests.binding("gated", "n"))
                        .text("message"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.17", "1.34", "1.35", "1.36"})
    void evictsWithinBudgets(Release release) throws Exception {
        EmbeddedControlPlane cluster = start(release);
        ApiClient client = new ApiClient(cluster);
        String policy = "policy/" + (release.atLeast(21) ? "v1" : "v1beta1");
        cluster.load(Manifests.node("n1"));
        for (String name : List.of("a", "b")) {
            ObjectNode pod = Manifests.boundPod(name, "n1");
            Json.child(Json.child(pod, "metadata"), "labels").put("app", "web");
            cluster.load(pod);
        }
        cluster.kubelet().tick();
        ObjectNode budget =
                Manifests.json("{'kind':'PodDisruptionBudget','metadata':{'name':'pdb','namespace':'default'},"
                        + "'spec':{'minAvailable':1,'selector':{'matchLabels':{'app':'web'}}},"
                        + "'status':{'disruptionsAllowed':1,'desiredHealthy':1,'currentHealthy':1}}");
        cluster.load(budget.put("apiVersion", policy));
        ObjectNode eviction =
                Manifests.json("{'kind':'Eviction','metadata':{'name':'a'}}").put("apiVersion", policy);
        assertEquals(201, client.post(PODS + "/a/eviction", eviction).code());
        assertTrue(cluster.get("pods", "default", "a")
                .orElseThrow()
                .at("/metadata")
                .has("deletionTimestamp"));
        ObjectNode spent = cluster.get("poddisruptionbudgets", "default", "pdb").orElseThrow();
        assertEquals(0, spent.at("/status/disruptionsAllowed").asInt());
        assertEquals("2024-05-01T12:00:00Z", spent.at("/status/disruptedPods/a").asText());
        Json.child(eviction, "metadata").put("name", "b");
        Answer refused = client.post(PODS + "/b/eviction", eviction);
        assertEquals(429, refused.code());
        assertEquals("TooManyRequests", refused.text("reason"));
        assertEquals("Cannot evict pod as it would violate the pod's disruption budget.", refused.text("message"));
        assertEquals(
                "The disruption budget pdb needs 1 healthy pods and has 1 currently",
                refused.body().at("/details/causes/0/message").asText());
        cluster.load(budgetNamed(budget, "second"));
        assertEquals(500, client.post(PODS + "/b/eviction", eviction).code());
        client.post(PODS, Manifests.pod("pending"));
        assertEquals(
                201,
                client.post(PODS + "/pending/eviction", Manifests.json("{}")).code());
        assertEquals(404, client.get(PODS + "/pending").code());
    }

    private static ObjectNode budgetNamed(ObjectNode budget, String name) {
        ObjectNode copy = budget.deepCopy();
        Json.child(copy, "metadata").put("name", name);
        return copy;
    }

    @Test
    void kubeletsRunRefuseAndRemovePods() throws Exception {
        EmbeddedControlPlane cluster = start(Release.V1_34);
        ApiClient client = new ApiClient(cluster);
        for (String name : List.of("a", "b", "c")) {
            cluster.load(Manifests.boundPod(name, "n1"));
        }
        assertEquals(0, cluster.kubelet().tick(), "the node is not known yet");
        cluster.load(Manifests.node("n1"));
        assertEquals(3, cluster.kubelet().tick());
        ObjectNode running = cluster.get("pods", "default", "a").orElseThrow();
        assertEquals("Running", Json.text(running, "status", "phase"));
        assertEquals("192.168.0.1", Json.text(running, "status", "hostIP"));
        JsonNode refused = cluster.get("pods", "default", "c").orElseThrow().path("status");
        assertEquals(
                List.of("Failed", "OutOfpods", "Pod was rejected: Node didn't have enough resource: pods"),
                List.of(Json.text(refused, "phase"), Json.text(refused, "reason"), Json.text(refused, "message")));
        client.delete(PODS + "/a");
        assertEquals(0, cluster.kubelet().tick(), "the grace period runs");
        clock.advance(Duration.ofSeconds(1));
        assertEquals(1, cluster.kubelet().tick());
        assertTrue(cluster.get("pods", "default", "a").isEmpty());
        cluster.load(Manifests.boundPod("d", "n1"));
        cluster.kubelet().tick();
        assertEquals(
                List.of("b", "d"),
                cluster.kubelet().podsOn("n1").stream()
                        .map(p -> ObjectKey.of(p).name())
                        .toList());
    }

    @Test
    void kubeletsActOnTheirOwn() throws Exception {
        EmbeddedControlPlane cluster = EmbeddedControlPlane.builder()
                .kubeletPeriod(Duration.ofMillis(5))
                .start();
        clusters.add(cluster);
        cluster.load(Manifests.node("n1"));
        cluster.load(Manifests.boundPod("a", "n1"));
        assertTrue(cluster.store()
                .await(
                        cluster.catalog().named("pods"),
                        pods -> Json.text(pods.get(0), "status", "phase").equals("Running"),
                        Duration.ofSeconds(20).toNanos()));
    }

    @Test
    void faultsHitMatchingRequestsOnly() throws Exception {
        EmbeddedControlPlane cluster = start(Release.V1_34);
        ApiClient client = new ApiClient(cluster);
        client.post(PODS, Manifests.pod("p"));
        cluster.faults().respond("POST", ".*/binding", 2, 503);
        ObjectNode binding = Manifests.binding("p", "n1");
        assertEquals(
                "ServiceUnavailable", client.post(PODS + "/p/binding", binding).text("reason"));
        assertEquals(200, client.get(PODS + "/p").code());
        assertEquals(503, client.post(PODS + "/p/binding", binding).code());
        cluster.faults().dropResponse("POST", ".*/binding", 1);
        assertThrows(IOException.class, () -> client.post(PODS + "/p/binding", binding));
        assertEquals("n1", client.get(PODS + "/p").text("spec", "nodeName"));
        cluster.faults().delay("GET", PODS, 1, Duration.ofMillis(30));
        long start = System.nanoTime();
        assertEquals(200, client.get(PODS).code());
        assertTrue(System.nanoTime() - start >= 30_000_000L);
        cluster.faults().respond("GET", ".*", 5, 500);
        cluster.faults().clear();
        assertEquals(200, client.get(PODS).code());
    }
}
