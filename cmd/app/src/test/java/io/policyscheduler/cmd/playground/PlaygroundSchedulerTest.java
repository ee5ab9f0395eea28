package io.policyscheduler.cmd.playground;

import static io.policyscheduler.cmd.playground.PlaygroundPort.body;
import static io.policyscheduler.cmd.playground.PlaygroundPort.node;
import static io.policyscheduler.cmd.playground.PlaygroundPort.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PlaygroundSchedulerTest {
    private final PlaygroundPort port = new PlaygroundPort();

    PlaygroundSchedulerTest() throws IOException {}

    @AfterEach
    void close() {
        port.close();
    }

    private static String placed(JsonNode turn) {
        return turn.path("pod").asText() + " " + turn.path("outcome").asText() + " "
                + turn.path("node").asText();
    }

    @Test
    void aStepDecidesTheNextPodAndBindsIt() throws Exception {
        port.create(node("n1", "1") + node("n2", "4") + pod("a", "500m") + pod("b", "2"));
        JsonNode queue = port.act("state", body("resource", "pods")).path("queue");
        assertEquals("default/a", queue.path("next").asText());
        JsonNode turn = port.act("step", body());
        assertEquals("default/a bound n2", placed(turn));
        assertEquals("n2", turn.at("/explanation/ranking/0/node").asText());
        assertTrue(turn.at("/explanation/ranking/0/scores/NodeResourcesFit").asInt() > 0, turn::toString);
        assertEquals(
                "n2",
                port.cluster()
                        .get("pods", "default", "a")
                        .orElseThrow()
                        .at("/spec/nodeName")
                        .asText());
        assertEquals("default/b bound n2", placed(port.act("step", body())));
        assertTrue(port.act("step", body()).path("pod").isNull());

        String remembered = port.get("debug/decisions?pod=default/a");
        JsonNode decision = new ObjectMapper().readTree(remembered).at("/decisions/0");
        assertEquals("bound", decision.path("outcome").asText(), remembered);
        assertEquals("n2", decision.at("/best/0/node").asText());
        assertEquals(1, decision.path("attempt").asInt());
    }

    @Test
    void aPodWithoutAPlaceIsTriedAgainWhenSomethingHasChanged() throws Exception {
        port.create(node("n1", "1") + pod("large", "3") + pod("small", "500m"));
        JsonNode turn = port.act("step", body());
        assertEquals("default/large unschedulable null", placed(turn));
        assertEquals(
                "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 nodes are"
                        + " available: 1 Preemption is not helpful for scheduling.",
                turn.path("message").asText());
        assertEquals(
                "add 2 CPUs (pod requests 3, node has 1 of 1 free)",
                turn.at("/explanation/nearest/0/lifts/0/text").asText());
        assertEquals("default/small bound n1", placed(port.act("step", body())));
        // Once more after the other one was placed, and not again.
        assertEquals("default/large unschedulable null", placed(port.act("step", body())));
        assertTrue(port.act("step", body()).path("pod").isNull());
        port.create(node("n2", "4"));
        assertEquals("default/large bound n2", placed(port.act("step", body())));
    }

    @Test
    void aPodWithGatesIsNotDecided() throws Exception {
        port.create(node("n1", "4")
                + "{apiVersion: v1, kind: Pod, metadata: {name: held}, spec: {schedulingGates: [{name: later}],"
                + " containers: [{name: c, image: i}]}}");
        assertEquals(
                "{\"next\":null,\"count\":0,\"gated\":1,\"pods\":[]}",
                port.act("state", body("resource", "pods")).path("queue").toString());
        assertTrue(port.act("step", body()).path("pod").isNull());
    }

    @Test
    void aRunGoesOnUntilNothingChanges() throws Exception {
        port.create(node("n1", "2") + pod("a", "1") + pod("b", "1") + pod("c", "1"));
        JsonNode run = port.act("run", body());
        assertFalse(run.path("more").asBoolean());
        assertEquals(
                Map.of("default/a", 1, "default/b", 1, "default/c", 2),
                Map.of(
                        "default/a", count(run, "default/a"),
                        "default/b", count(run, "default/b"),
                        "default/c", count(run, "default/c")));
        assertEquals(
                1,
                port.act("state", body("resource", "pods")).at("/queue/count").asInt());
    }

    private static int count(JsonNode run, String pod) {
        int count = 0;
        for (JsonNode turn : run.path("turns")) {
            count += turn.path("pod").asText().equals(pod) ? 1 : 0;
        }
        return count;
    }

    @Test
    void aLookAsksEveryDeciderAndBindsNothing() throws Exception {
        port.create(node("n1", "4") + node("n2", "4") + pod("a", "1"));
        ObjectNode request = body();
        request.putArray("deciders")
                .add(body("decider", "policy:first", "name", "first", "text", """
                        kind: Policy
                        apiVersion: v1
                        predicates: [{name: GeneralPredicates}]
                        priorities: [{name: LeastRequestedPriority, weight: 3}]
                        """))
                .add(body("decider", "modern"));
        assertEquals(
                "{\"NodeResourcesLeastAllocated\":3}",
                port.act("deciders", request).at("/deciders/0/scores").toString());
        JsonNode look = port.act("look", body());
        assertEquals("default/a", look.path("pod").asText());
        assertEquals("policy:first", look.at("/deciders/0/decider").asText());
        assertEquals(3 * 86, look.at("/deciders/0/ranking/0/total").asInt(), look::toString);
        assertEquals("modern", look.at("/deciders/1/decider").asText());
        assertEquals(
                "default/a",
                port.act("look", body("pod", "default/a")).path("pod").asText());
        assertEquals(
                "default/b is not pending",
                port.refused("look", body("pod", "default/b")).at("/0/message").asText());
        assertEquals(
                "",
                port.cluster()
                        .get("pods", "default", "a")
                        .orElseThrow()
                        .at("/spec/nodeName")
                        .asText());
        assertEquals("default/a bound n1", placed(port.act("step", body())));
        assertEquals(
                "no pod is pending",
                port.refused("look", body()).at("/0/message").asText());
    }

    @Test
    void aDeciderThatIsRefusedChangesNothingAndReadsNoFile() throws Exception {
        ObjectNode request = body();
        request.putArray("deciders").add(body("decider", "policy:p", "name", "p", "text", """
                kind: Policy
                apiVersion: v1
                predicates:
                - name: PodFitsResorces
                """));
        JsonNode errors = port.refused("deciders", request);
        assertEquals(4, errors.at("/0/line").asInt(), errors::toString);
        request.putArray("deciders").add(body("decider", "policy:/etc/hostname"));
        assertEquals(
                "no text named /etc/hostname",
                port.refused("deciders", request).at("/0/message").asText());
        request.putArray("deciders").add(body("decider", "policy:t", "name", "t", "text", """
                kind: Policy
                apiVersion: v1
                tables:
                  prices:
                    file: /etc/hostname
                """));
        String refusal = port.refused("deciders", request).at("/0/message").asText();
        assertTrue(refusal.contains("file /etc/hostname is not read here; write its values into the policy"), refusal);
        assertEquals(
                "modern",
                port.act("state", body("resource", "pods"))
                        .at("/deciders/0/decider")
                        .asText());
    }

    @Test
    void aPodWhoseClaimsNobodyBindsIsNotBound() throws Exception {
        port.create(node("n1", "4")
                + "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: late}, provisioner: x,"
                + " volumeBindingMode: WaitForFirstConsumer}\n---\n"
                + "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data}, spec: {storageClassName: late,"
                + " accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}\n---\n"
                + "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, image: i}],"
                + " volumes: [{name: v, persistentVolumeClaim: {claimName: data}}]}}");
        JsonNode turn = port.act("step", body());
        assertEquals("default/p bind-refused n1", placed(turn));
        assertTrue(turn.path("message").asText().contains("claims"), turn::toString);
    }
}
