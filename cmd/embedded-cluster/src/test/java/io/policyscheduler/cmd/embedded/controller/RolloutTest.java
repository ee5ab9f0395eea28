package io.policyscheduler.cmd.embedded.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RolloutTest {
    private static final String APPS = "/apis/apps/v1/namespaces/default/";
    private static final String TEMPLATE =
            "'template':{'metadata':{'labels':{'app':'web'}},'spec':{'containers':[{'name':'c','image':'i:1'}]}}";
    private static final String SECOND = "{'spec':{'template':{'spec':{'containers':[{'name':'c','image':'i:2'}]}}}}";

    private Playground playground;

    @BeforeEach
    void start() throws Exception {
        playground = new Playground("a", "b");
    }

    @AfterEach
    void close() {
        playground.close();
    }

    private void create(String resource, String spec) {
        playground.create(
                APPS + resource,
                "{'metadata':{'name':'web'},'spec':{'selector':{'matchLabels':{'app':'web'}}," + TEMPLATE + spec
                        + "}}");
    }

    private long running(String image) {
        return playground.cluster().list("pods").stream()
                .filter(pod -> !pod.path("metadata").has("deletionTimestamp"))
                .filter(pod -> pod.at("/status/phase").asText().equals("Running"))
                .filter(pod -> image.isEmpty()
                        || pod.at("/spec/containers/0/image").asText().equals(image))
                .count();
    }

    @ParameterizedTest
    @CsvSource({"'25%', '25%', 3, 5", "0, 1, 3, 4", "1, 0, 4, 5", "'100%', 0, 4, 8"})
    void aRolloutKeepsToItsBounds(String surge, String unavailable, int least, int most) {
        String strategy = ",'strategy':{'rollingUpdate':{'maxSurge':" + quoted(surge) + ",'maxUnavailable':"
                + quoted(unavailable) + "}}";
        create("deployments", ",'replicas':4" + strategy);
        playground.send("PATCH", APPS + "deployments/web", SECOND);
        for (int i = 0; i < 40; i++) {
            playground.step();
            assertTrue(running("") >= least, "at least " + least + ", but " + running(""));
            assertTrue(replicas() <= most, "at most " + most + ", but " + replicas());
        }
        assertEquals(4, running("i:2"));
        assertEquals(
                "2", playground.at("deployments", "web", "/metadata/annotations/deployment.kubernetes.io~1revision"));
    }

    private static String quoted(String value) {
        return value.endsWith("%") ? "'" + value + "'" : value;
    }

    private long replicas() {
        return playground.cluster().list("replicasets").stream()
                .mapToLong(set -> set.at("/spec/replicas").asLong())
                .sum();
    }

    @Test
    void recreationWaitsForTheOldPods() {
        create("deployments", ",'replicas':2,'strategy':{'type':'Recreate'}");
        playground.patch(APPS + "deployments/web", SECOND);
        assertEquals(0, running(""), "the old ones are ending");
        playground.pass(Duration.ofSeconds(2));
        assertEquals(2, running("i:2"));
    }

    @Test
    void theOldTemplateFindsItsReplicaSetAgain() {
        create("deployments", ",'replicas':1");
        List<String> first = playground.names("replicasets");
        playground.patch(APPS + "deployments/web", SECOND);
        playground.patch(APPS + "deployments/web", SECOND.replace("i:2", "i:1"));
        assertEquals(2, playground.names("replicasets").size());
        String set = first.get(0);
        assertEquals("1", playground.at("replicasets", set, "/spec/replicas"));
        assertEquals(
                "3", playground.at("replicasets", set, "/metadata/annotations/deployment.kubernetes.io~1revision"));
    }

    @Test
    void onlySoManyOldReplicaSetsAreKept() {
        create("deployments", ",'replicas':1,'revisionHistoryLimit':1");
        for (int i = 2; i < 6; i++) {
            playground.patch(APPS + "deployments/web", SECOND.replace("i:2", "i:" + i));
            playground.pass(Duration.ofSeconds(2));
        }
        assertEquals(2, playground.names("replicasets").size());
    }

    @Test
    void aPausedDeploymentOnlyScales() {
        create("deployments", ",'replicas':1,'paused':false");
        playground.patch(APPS + "deployments/web", "{'spec':{'paused':true}}");
        playground.patch(APPS + "deployments/web", SECOND);
        assertEquals(1, running("i:1"));
        playground.patch(APPS + "deployments/web", "{'spec':{'replicas':3}}");
        assertEquals(3, running("i:1"));
        playground.patch(APPS + "deployments/web", "{'spec':{'paused':false}}");
        playground.pass(Duration.ofSeconds(2));
        assertEquals(3, running("i:2"));
    }

    @Test
    void statefulPodsComeInOrderWithClaimsThatStay() {
        create(
                "statefulsets",
                ",'replicas':3,'serviceName':'web','volumeClaimTemplates':[{'metadata':{'name':'data'},'spec':{'accessModes':"
                        + "['ReadWriteOnce'],'resources':{'requests':{'storage':'1Gi'}}}}]");
        assertEquals(List.of("web-0", "web-1", "web-2"), playground.names("pods"));
        playground.patch(APPS + "statefulsets/web", "{'spec':{'replicas':1}}");
        playground.pass(Duration.ofSeconds(3));
        assertEquals(List.of("web-0"), playground.names("pods"));
        assertEquals(List.of("data-web-0", "data-web-1", "data-web-2"), playground.names("persistentvolumeclaims"));
    }

    @Test
    void aPartitionHoldsLowerPodsBack() {
        create("statefulsets", ",'replicas':3,'updateStrategy':{'rollingUpdate':{'partition':2}}");
        playground.patch(APPS + "statefulsets/web", SECOND);
        playground.pass(Duration.ofSeconds(5));
        assertEquals("i:2", playground.at("pods", "web-2", "/spec/containers/0/image"));
        assertEquals("i:1", playground.at("pods", "web-1", "/spec/containers/0/image"));
        playground.patch(APPS + "statefulsets/web", "{'spec':{'updateStrategy':{'rollingUpdate':{'partition':0}}}}");
        playground.pass(Duration.ofSeconds(8));
        assertEquals(3, running("i:2"));
        assertEquals(
                playground.at("statefulsets", "web", "/status/updateRevision"),
                playground.at("statefulsets", "web", "/status/currentRevision"));
    }

    @Test
    void daemonsRunWhereTheyMay() {
        playground.patch("/api/v1/nodes/b", "{'spec':{'taints':[{'key':'gpu','effect':'NoSchedule'}]}}");
        create("daemonsets", "");
        assertEquals("1", playground.at("daemonsets", "web", "/status/numberReady"));
        playground.patch("/api/v1/nodes/b", "{'spec':{'taints':null}}");
        assertEquals("2", playground.at("daemonsets", "web", "/status/numberReady"));
        playground.patch("/api/v1/nodes/a", "{'spec':{'unschedulable':true}}");
        assertEquals(2, running(""), "daemons tolerate cordons");
        playground.patch(APPS + "daemonsets/web", SECOND);
        playground.pass(Duration.ofSeconds(5));
        assertEquals(2, running("i:2"));
        playground.patch(APPS + "daemonsets/web", "{'spec':{'template':{'spec':{'nodeSelector':{'no':'where'}}}}}");
        playground.pass(Duration.ofSeconds(5));
        assertEquals(0, running(""));
    }

    /** A client that sends protobuf and one that sends JSON must not make two ReplicaSets of one template. */
    @Test
    void numbersAreEqualHoweverTheyWereSent() {
        ObjectNode json = new ObjectMapper().createObjectNode().put("containerPort", 80);
        ObjectNode protobuf = new ObjectMapper().createObjectNode().put("containerPort", 80L);
        assertTrue(ControllerUtils.equalIgnoringHash(json, protobuf));
        assertFalse(ControllerUtils.equalIgnoringHash(json, protobuf.put("containerPort", 81L)));
    }
}
