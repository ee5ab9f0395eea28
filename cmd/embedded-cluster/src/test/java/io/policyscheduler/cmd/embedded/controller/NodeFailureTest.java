package io.policyscheduler.cmd.embedded.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class NodeFailureTest {
    private static final String FAIL = "{'metadata':{'annotations':{'policy-scheduler.io/failed':'true'}}}";
    private static final String MEND = "{'metadata':{'annotations':{'policy-scheduler.io/failed':null}}}";
    private static final String READY = "/status/conditions/0/status";

    private Playground playground;

    @BeforeEach
    void start() throws Exception {
        playground = new Playground("a", "b");
    }

    @AfterEach
    void close() {
        playground.close();
    }

    private void deployment() {
        playground.create(
                "/apis/apps/v1/namespaces/default/deployments",
                "{'metadata':{'name':'web'},'spec':{'replicas':2,'selector':{'matchLabels':{'app':'web'}},"
                        + "'template':{'metadata':{'labels':{'app':'web'}},'spec':{'containers':[{'name':'c','image':'i'}]}}}}");
    }

    @Test
    void aFailedNodeLosesItsPodsAfterTheirTolerationAndComesBack() {
        deployment();
        assertEquals(2, playground.count("pods", "/spec/nodeName", "a"));
        playground.patch("/api/v1/nodes/a", FAIL);
        assertEquals("Unknown", playground.at("nodes", "a", READY));
        assertTrue(playground.at("nodes", "a", "/spec/taints").contains("node.kubernetes.io/unreachable"));
        assertEquals("", playground.at("deployments", "web", "/status/readyReplicas"));

        playground.jump(Duration.ofSeconds(299));
        assertEquals(2, playground.names("pods").size());
        playground.jump(Duration.ofSeconds(2));
        assertEquals(2, playground.count("pods", "/spec/nodeName", "b"), "new pods elsewhere");
        assertEquals("2", playground.at("deployments", "web", "/status/readyReplicas"));
        playground.jump(Duration.ofMinutes(5));
        assertEquals(2, playground.count("pods", "/spec/nodeName", "a"), "nobody ends the old ones");

        playground.patch("/api/v1/nodes/a", MEND);
        assertEquals("True", playground.at("nodes", "a", READY));
        assertEquals("", playground.at("nodes", "a", "/spec/taints"));
        assertEquals(0, playground.count("pods", "/spec/nodeName", "a"));
    }

    @Test
    void aNodeThatComesBackSoonKeepsItsPods() {
        deployment();
        playground.patch("/api/v1/nodes/a", FAIL);
        playground.jump(Duration.ofSeconds(30));
        playground.patch("/api/v1/nodes/a", MEND);
        playground.jump(Duration.ofMinutes(10));
        assertEquals(2, playground.count("pods", "/spec/nodeName", "a"));
        assertEquals("2", playground.at("deployments", "web", "/status/readyReplicas"));
    }

    @Test
    void cordonedNodesAreTainted() {
        playground.patch(
                "/api/v1/nodes/a", "{'spec':{'unschedulable':true,'taints':[{'key':'mine','effect':'NoSchedule'}]}}");
        assertEquals(
                "2",
                Integer.toString(playground.at("nodes", "a", "/spec/taints").split("effect", -1).length - 1));
        playground.patch("/api/v1/nodes/a", "{'spec':{'unschedulable':null}}");
        assertEquals("mine", playground.at("nodes", "a", "/spec/taints/0/key"));
    }
}
