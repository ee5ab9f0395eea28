package io.policyscheduler.cmd.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.ApiClient.Answer;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.engine.cluster.release.Release;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Reading, writing and deleting objects over HTTP. */
class ApiServerTest {
    private static final String PODS = "/api/v1/namespaces/default/pods";

    private final TestClock clock = new TestClock();
    private final EmbeddedControlPlane cluster;
    private final ApiClient client;

    ApiServerTest() throws IOException {
        cluster = EmbeddedControlPlane.builder()
                .clock(clock)
                .kubeletPeriod(Duration.ZERO)
                .start();
        client = new ApiClient(cluster);
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    private static List<String> names(JsonNode list) {
        List<String> names = new ArrayList<>();
        list.path("items").forEach(item -> names.add(Json.text(item, "metadata", "name")));
        return names;
    }

    @Test
    void createdPodsAreCompleted() throws Exception {
        ObjectNode pod = Manifests.json("{'apiVersion':'v1','kind':'Pod','metadata':{'generateName':'web-'},'spec':{"
                + "'hostNetwork':true,'priorityClassName':'system-node-critical','containers':[{'name':'c','image':'i',"
                + "'ports':[{'containerPort':80}],'resources':{'limits':{'cpu':'1','memory':'1Gi'},"
                + "'requests':{'cpu':'500m'}}}]}}");
        Answer answer = client.post(PODS, pod);
        assertEquals(201, answer.code());
        JsonNode body = answer.body();
        assertEquals("Pod", answer.text("kind"));
        assertTrue(answer.text("metadata", "name").matches("web-[a-z0-9]{5}"));
        assertTrue(answer.text("metadata", "uid").matches("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-.*"));
        assertEquals("2024-05-01T12:00:00Z", answer.text("metadata", "creationTimestamp"));
        assertEquals("default", answer.text("metadata", "namespace"));
        assertEquals("default-scheduler", answer.text("spec", "schedulerName"));
        assertEquals(2_000_001_000, body.at("/spec/priority").asInt());
        assertEquals("PreemptLowerPriority", answer.text("spec", "preemptionPolicy"));
        assertEquals(Manifests.json("{'cpu':'500m','memory':'1Gi'}"), body.at("/spec/containers/0/resources/requests"));
        assertEquals(
                Manifests.json("{'containerPort':80,'protocol':'TCP','hostPort':80}"),
                body.at("/spec/containers/0/ports/0"));
        assertEquals(2, body.at("/spec/tolerations").size());
        assertEquals(Manifests.json("{'phase':'Pending','qosClass':'Burstable'}"), body.path("status"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{'metadata':{'name':'p'},'spec':{}}|422|Invalid|Pod \"p\" is invalid: spec.containers: Required value",
                "{'metadata':{},'spec':{'containers':[{'name':'c','image':'i'}]}}|422|Invalid"
                        + "|Pod \"\" is invalid: metadata.name: Required value: name or generateName is required",
                "{'metadata':{'name':'p'},'spec':{'containers':[{'name':'c','image':'i',"
                        + "'resources':{'requests':{'cpu':'-1'}}}]}}|422|Invalid|Pod \"p\" is invalid:"
                        + " spec.containers[0].resources.requests[cpu]: Invalid value: \"-1\":"
                        + " must be greater than or equal to 0",
                "{'metadata':{'name':'p'},'spec':{'containers':[{'name':'c','image':'i',"
                        + "'resources':{'requests':{'cpu':'1x'}}}]}}|400|BadRequest|Pod in version \"v1\" cannot be"
                        + " handled as a Pod: quantities must match the regular expression"
                        + " '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
                "{'metadata':{'name':'p'},'spec':{'priorityClassName':'none','containers':[{'name':'c','image':'i'}]}}"
                        + "|403|Forbidden|pods \"p\" is forbidden: no PriorityClass with name none was found",
                "{'metadata':{'name':'p','namespace':'x'},'spec':{}}|400|BadRequest|the namespace of the provided"
                        + " object does not match the namespace sent on the request",
                "{'metadata':{'name':'p','resourceVersion':'7'},'spec':{}}|400|BadRequest"
                        + "|resourceVersion should not be set on objects to be created",
                "{'kind':'Node','apiVersion':'v1','metadata':{'name':'p'}}|400|BadRequest|Node in version \"v1\" cannot"
                        + " be handled as a Pod: the object provided is v1, Kind=Node",
            })
    void refusesInvalidPods(String pod, int code, String reason, String message) throws Exception {
        Answer answer = client.post(PODS, Manifests.json(pod));
        assertEquals(code, answer.code());
        assertEquals(
                List.of("Status", "v1", "Failure", reason, message, Integer.toString(code)),
                List.of(
                        answer.text("kind"),
                        answer.text("apiVersion"),
                        answer.text("status"),
                        answer.text("reason"),
                        answer.text("message"),
                        answer.text("code")));
        assertEquals(List.of(), cluster.list("pods"));
    }

    @Test
    void refusalsNameWhatTheyConcern() throws Exception {
        assertEquals(
                Manifests.json("{'kind':'Status','apiVersion':'v1','metadata':{},'status':'Failure',"
                                + "'message':'replicasets.apps X not found','reason':'NotFound','details':"
                                + "{'name':'rs','group':'apps','kind':'replicasets'},'code':404}")
                        .put("message", "replicasets.apps \"rs\" not found"),
                client.get("/apis/apps/v1/namespaces/default/replicasets/rs").body());
        assertEquals(
                "namespaces \"none\" not found",
                client.post("/api/v1/namespaces/none/pods", Manifests.pod("p")).text("message"));
        client.post(PODS, Manifests.pod("p"));
        assertEquals(
                "pods \"p\" already exists",
                client.post(PODS, Manifests.pod("p")).text("message"));
        assertEquals(404, client.get("/api/v1/wrong").code());
        assertEquals(501, client.get(PODS + "/p/log").code());
        assertEquals(
                "MethodNotAllowed",
                client.post("/api/v1/pods", Manifests.pod("q")).text("reason"));
        assertEquals("MethodNotAllowed", client.put(PODS, Manifests.pod("q")).text("reason"));
        assertEquals(
                415,
                client.send("POST", PODS, "application/vnd.kubernetes.protobuf", Manifests.pod("q"))
                        .code());
        assertEquals(
                400, client.send("POST", PODS, "application/json", Json.array()).code());
    }

    @Test
    void updatesCheckTheVersionAndKeepTheStatusApart() throws Exception {
        ObjectNode pod = (ObjectNode) client.post(PODS, Manifests.pod("p")).body();
        ObjectNode changed = pod.deepCopy();
        Json.child(Json.child(changed, "metadata"), "labels").put("a", "b");
        Json.child(changed, "status").put("phase", "Running");
        Answer updated = client.put(PODS + "/p", changed);
        assertEquals(
                List.of("b", "Pending"),
                List.of(updated.text("metadata", "labels", "a"), updated.text("status", "phase")));
        Answer conflict = client.put(PODS + "/p", changed);
        assertEquals(409, conflict.code());
        assertEquals(
                "Operation cannot be fulfilled on pods \"p\": the object has been modified; please apply your changes"
                        + " to the latest version and try again",
                conflict.text("message"));
        Json.child(changed, "metadata").remove("resourceVersion");
        Json.child(changed, "spec").put("schedulerName", "other");
        Answer status = client.put(PODS + "/p/status", changed);
        assertEquals(
                List.of("Running", "default-scheduler"),
                List.of(status.text("status", "phase"), status.text("spec", "schedulerName")));
        assertNotEquals(updated.text("metadata", "resourceVersion"), status.text("metadata", "resourceVersion"));
        Json.child(changed, "metadata").put("uid", "other");
        assertEquals(409, client.put(PODS + "/p", changed).code());
        assertEquals(404, client.put(PODS + "/absent", Manifests.pod("absent")).code());
        assertEquals(400, client.put(PODS + "/p", Manifests.pod("q")).code());
    }

    @Test
    void patchesStatusAndRefusesToMoveAPod() throws Exception {
        client.post(PODS, Manifests.boundPod("p", "n1"));
        Answer patched = client.patch(
                "strategic-merge-patch",
                PODS + "/p/status",
                "{'status':{'nominatedNodeName':'n2','conditions':[{'type':'PodScheduled','status':'False'}]},"
                        + "'spec':{'schedulerName':'other'}}");
        assertEquals(
                Manifests.json("{'phase':'Pending','qosClass':'BestEffort','nominatedNodeName':'n2',"
                        + "'conditions':[{'type':'PodScheduled','status':'False'}]}"),
                patched.body().path("status"));
        assertEquals("default-scheduler", patched.text("spec", "schedulerName"));
        assertEquals(
                422,
                client.patch("merge-patch", PODS + "/p", "{'spec':{'nodeName':'n2'}}")
                        .code());
        assertEquals(
                409,
                client.patch("merge-patch", PODS + "/p", "{'metadata':{'resourceVersion':'1'}}")
                        .code());
        assertEquals(
                patched.text("metadata", "resourceVersion"),
                client.patch("merge-patch", PODS + "/p", "{'metadata':{}}").text("metadata", "resourceVersion"));
    }

    @Test
    void leasesWantAVersionAndAreCreatedByUpdates() throws Exception {
        String path = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/l";
        ObjectNode lease = Manifests.json("{'metadata':{'name':'l'},'spec':{'holderIdentity':'a'}}");
        Answer created = client.put(path, lease);
        assertEquals(201, created.code());
        assertEquals(422, client.put(path, lease).code());
        assertEquals(200, client.put(path, (ObjectNode) created.body()).code());
        assertEquals("Status", client.delete(path).text("kind"));
        assertEquals(404, client.get(path).code());
    }

    @Test
    void deletesUnboundPodsAtOnceAndBoundOnesWithGrace() throws Exception {
        client.post(PODS, Manifests.pod("unbound"));
        client.post(PODS, Manifests.boundPod("bound", "n1"));
        assertEquals(200, client.delete(PODS + "/unbound").code());
        assertEquals(404, client.get(PODS + "/unbound").code());
        Answer marked = client.delete(PODS + "/bound");
        assertEquals("2024-05-01T12:00:30Z", marked.text("metadata", "deletionTimestamp"));
        assertEquals("30", marked.text("metadata", "deletionGracePeriodSeconds"));
        Answer shorter = client.delete(PODS + "/bound?gracePeriodSeconds=5");
        assertEquals("2024-05-01T12:00:05Z", shorter.text("metadata", "deletionTimestamp"));
        ObjectNode options = Manifests.json("{'gracePeriodSeconds':0,'preconditions':{'uid':'other'}}");
        assertEquals(
                409,
                client.send("DELETE", PODS + "/bound", "application/json", options)
                        .code());
        assertEquals(200, client.delete(PODS + "/bound?gracePeriodSeconds=0").code());
        assertEquals(List.of(), cluster.list("pods"));
    }

    @Test
    void finalizersHoldAnObject() throws Exception {
        ObjectNode map = Manifests.json("{'metadata':{'name':'m','finalizers':['x/y']}}");
        client.post("/api/v1/namespaces/default/configmaps", map);
        String path = "/api/v1/namespaces/default/configmaps/m";
        assertEquals("2024-05-01T12:00:00Z", client.delete(path).text("metadata", "deletionTimestamp"));
        assertEquals(200, client.get(path).code());
        client.patch("merge-patch", path, "{'metadata':{'finalizers':null}}");
        assertEquals(404, client.get(path).code());
    }

    @Test
    void deletesCollectionsAndNamespaces() throws Exception {
        client.post("/api/v1/namespaces", Manifests.json("{'metadata':{'name':'team'}}"));
        for (String name : List.of("a", "b", "c")) {
            client.post("/api/v1/namespaces/team/pods", Manifests.pod(name));
        }
        assertEquals(
                List.of("a", "b"),
                names(client.delete("/api/v1/namespaces/team/pods?labelSelector=app+in+(a,b)")
                        .body()));
        assertEquals(List.of("c"), names(client.get("/api/v1/pods").body()));
        client.delete("/api/v1/namespaces/team");
        assertEquals(List.of(), names(client.get("/api/v1/pods").body()));
        assertEquals(404, client.get("/api/v1/namespaces/team").code());
    }

    @Test
    void listsInPagesOfOneVersion() throws Exception {
        for (String name : List.of("a", "b", "c")) {
            client.post(PODS, Manifests.pod(name));
        }
        Answer first = client.get("/api/v1/pods?limit=2");
        assertEquals("PodList", first.text("kind"));
        assertEquals(List.of("a", "b"), names(first.body()));
        assertFalse(first.body().at("/items/0").has("kind"));
        assertEquals("1", first.text("metadata", "remainingItemCount"));
        client.delete(PODS + "/c");
        String next = "/api/v1/pods?limit=2&continue=" + first.text("metadata", "continue");
        Answer second = client.get(next);
        assertEquals(List.of("c"), names(second.body()));
        assertEquals(first.text("metadata", "resourceVersion"), second.text("metadata", "resourceVersion"));
        assertEquals("", second.text("metadata", "continue"));
        cluster.store().compact();
        Answer expired = client.get(next);
        assertEquals(List.of("410", "Expired"), List.of(expired.text("code"), expired.text("reason")));
        assertEquals(400, client.get("/api/v1/pods?continue=@@").code());
        assertEquals(400, client.get("/api/v1/pods?limit=x").code());
        assertEquals(
                504,
                client.get("/api/v1/pods?resourceVersion=" + Long.MAX_VALUE).code());
        assertEquals(200, client.get("/api/v1/pods?resourceVersion=0").code());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "1.33 | {'limits':{'cpu':'1','memory':'1Gi'}} | BestEffort",
                "1.34 | {'limits':{'cpu':'1','memory':'1Gi'}} | Guaranteed",
                "1.34 | {'requests':{'cpu':'1'}} | Burstable"
            })
    void podLevelResourcesDetermineTheQosClass(String release, String resources, String expected) throws Exception {
        try (EmbeddedControlPlane other =
                EmbeddedControlPlane.builder().release(Release.parse(release)).start()) {
            ObjectNode pod = Manifests.json("{'metadata':{'name':'p'},'spec':{'resources':" + resources
                    + ",'containers':[{'name':'c','image':'i'}]}}");
            assertEquals(expected, new ApiClient(other).post(PODS, pod).text("status", "qosClass"));
        }
    }

    @Test
    void showsEventsInBothGroups() throws Exception {
        cluster.load(Manifests.event("e", "p", "Scheduled", "text"));
        Answer event = client.get("/apis/events.k8s.io/v1/namespaces/default/events/e");
        assertEquals(
                List.of("events.k8s.io/v1", "p", "text"),
                List.of(event.text("apiVersion"), event.text("regarding", "name"), event.text("note")));
        ObjectNode modern = Manifests.json("{'metadata':{'name':'f'},'regarding':{'namespace':'default','name':'q'},"
                + "'eventTime':'2024-01-01T00:00:00.000000Z','type':'Normal','reason':'r','action':'a',"
                + "'reportingController':'c','reportingInstance':'i','note':'other'}");
        assertEquals(
                201,
                client.post("/apis/events.k8s.io/v1/namespaces/default/events", modern)
                        .code());
        Answer core = client.get("/api/v1/events?fieldSelector=involvedObject.name%3Dq");
        assertEquals(List.of("f"), names(core.body()));
        assertEquals("other", core.body().at("/items/0/message").asText());
    }

    @Test
    void tablesHaveTheColumnsOfKubectl() throws Exception {
        cluster.load(Manifests.node("n1"));
        clock.advance(Duration.ofMinutes(5));
        assertEquals(
                Manifests.json("{'c':['n1','Ready','<none>','5m','','192.168.0.1','<none>','<unknown>','<unknown>',"
                                + "'<unknown>']}")
                        .path("c"),
                client.table("/api/v1/nodes").body().at("/rows/0/cells"));
        client.post(PODS, Manifests.boundPod("p", "n1"));
        cluster.kubelet().tick();
        assertEquals(
                Manifests.json("{'c':['p','1/1','Running','0','0s','10.0.0.1','n1','<none>','<none>']}")
                        .path("c"),
                client.table(PODS + "/p").body().at("/rows/0/cells"));
        assertEquals(
                "Name",
                client.table("/api/v1/namespaces")
                        .body()
                        .at("/columnDefinitions/0/name")
                        .asText());
    }

    @Test
    void loadKeepsWhatItIsGiven() {
        ObjectNode pod = Manifests.boundPod("p", "n1");
        Json.child(pod, "metadata").put("namespace", "fresh").put("uid", "u").put("resourceVersion", "77");
        Json.child(pod, "status").put("phase", "Running");
        Json.child(pod, "spec").put("priority", 7).put("priorityClassName", "unknown");
        ObjectNode list = Manifests.json("{'kind':'PodList','apiVersion':'v1'}");
        pod.remove("kind");
        pod.remove("apiVersion");
        list.putArray("items").add(pod);
        cluster.load(list);
        ObjectNode stored = cluster.get("pods", "fresh", "p").orElseThrow();
        assertEquals("u", Json.text(stored, "metadata", "uid"));
        assertEquals("Running", Json.text(stored, "status", "phase"));
        assertEquals(7, stored.at("/spec/priority").asInt());
        assertTrue(cluster.get("namespaces", "", "fresh").isPresent());
    }
}
