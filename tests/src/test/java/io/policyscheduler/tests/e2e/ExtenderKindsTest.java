package io.policyscheduler.tests.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.live.Algorithms;
import io.policyscheduler.cmd.live.ProfileSettings;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.policy.Policy.PolicyException;
import io.policyscheduler.engine.policy.PolicyReader;
import io.policyscheduler.engine.policy.PolicyResolver;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Extenders of each kind: filter, prioritize, preempt, and bind. */
class ExtenderKindsTest {
    private final LiveCluster live = new LiveCluster();
    private final SmallExtender extender = new SmallExtender();

    @AfterEach
    void close() {
        live.close();
        extender.close();
    }

    private void start(String verbs) throws PolicyException {
        String policy = ("{'kind':'Policy','apiVersion':'v1','extenders':[{'urlPrefix':'" + extender.url() + "',"
                        + "'nodeCacheCapable':true,'httpTimeout':5000000000," + verbs + "}]}")
                .replace('\'', '"');
        PolicyResolver resolver = new PolicyResolver(FeatureGates.defaults(), 1, false, Algorithms.registry());
        live.startScheduler(List.of(ProfileSettings.ofPolicy(
                Manifest.SCHEDULER, resolver.resolve(new PolicyReader().read(policy, "policy.json")), 100)));
    }

    private static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }

    @Test
    void filters() throws PolicyException {
        extender.on("filter", args -> {
            ObjectNode answer = object();
            ArrayNode names = answer.putArray("NodeNames");
            ObjectNode failed = answer.putObject("FailedNodes");
            for (JsonNode name : args.path("NodeNames")) {
                if (name.asText().equals("n2")
                        && args.at("/Pod/metadata/name").asText().equals("p")) {
                    names.add(name);
                } else {
                    failed.put(name.asText(), "no licence");
                }
            }
            return answer;
        });
        live.addNodes(3, "4");
        start("'filterVerb':'filter'");
        live.api().createPod(Manifest.pod("p", "1"));
        live.awaitBound("p");
        assertEquals("n2", live.nodeOf("p"));
        live.api().createPod(Manifest.pod("q", "1"));
        assertEquals(
                "0/3 nodes are available: 3 no licence.",
                live.awaitUnschedulable("q").path("message").asText());
    }

    @Test
    void scores() throws PolicyException {
        extender.on("prioritize", args -> {
            ArrayNode scores = JsonNodeFactory.instance.arrayNode();
            for (JsonNode name : args.path("NodeNames")) {
                scores.addObject()
                        .put("Host", name.asText())
                        .put("Score", name.asText().equals("n1") ? 10 : 0);
            }
            return scores;
        });
        live.addNodes(3, "4");
        start("'prioritizeVerb':'prioritize','weight':100");
        for (int i = 0; i < 4; i++) {
            live.api().createPod(Manifest.pod("p" + i, "100m"));
            live.awaitBound("p" + i);
            assertEquals("n1", live.nodeOf("p" + i));
        }
    }

    @Test
    void reviewsPreemption() throws PolicyException {
        extender.on("filter", args -> object().set("NodeNames", args.path("NodeNames")));
        extender.on("preempt", args -> {
            ObjectNode victims = object();
            JsonNode all = args.path("NodeNameToMetaVictims");
            assertTrue(all.has("n0") && all.has("n1"), () -> "candidates " + all);
            victims.set("n1", all.path("n1"));
            return object().set("NodeNameToMetaVictims", victims);
        });
        live.addNodes(2, "1");
        live.cluster().load(Manifest.priorityClass("scheduling.k8s.io/v1", "high", 1000));
        start("'filterVerb':'filter','preemptVerb':'preempt'");
        live.addPods("low", 2, "1");
        live.awaitAllBound(2);
        live.api().createPod(Manifest.podWithPriority("high", "1", "high"));
        live.awaitBound("high");
        assertEquals("n1", live.nodeOf("high"));
        assertTrue(extender.calls().contains("preempt"));
        live.assertSound();
    }

    @Test
    void binds() throws PolicyException {
        extender.on("bind", args -> {
            String pod = args.path("PodName").asText();
            live.api()
                    .post(
                            "/api/v1/namespaces/default/pods/" + pod + "/binding",
                            Manifest.json("{'apiVersion':'v1','kind':'Binding','metadata':{'name':'" + pod
                                    + "','uid':'" + args.path("PodUID").asText()
                                    + "'},'target':{'apiVersion':'v1','kind':'Node','name':'"
                                    + args.path("Node").asText() + "'}}"));
            return object().put("Error", "");
        });
        live.addNodes(1, "4");
        start("'bindVerb':'bind'");
        live.api().createPod(Manifest.pod("p", "1"));
        live.awaitBound("p");
        assertEquals(List.of("bind"), extender.calls());
        live.assertSound();
    }
}
