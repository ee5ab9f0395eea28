package io.policyscheduler.tests.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.tests.e2e.Await;
import io.policyscheduler.tests.e2e.Manifest;
import io.policyscheduler.tests.e2e.Program;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The overlays that do not schedule: extender, shadow, and audit with and without evictions. */
abstract class DeployedReaders extends Deployment {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String EVICTOR = ACCOUNT + "policy-scheduler-evictor";
    private static final String AUDIT = "/apis/batch/v1/namespaces/kube-system/cronjobs/policy-scheduler-audit";
    private static final String JOB_TEMPLATE = "/spec/jobTemplate/spec/template/spec";
    private static final String PODS = "/api/v1/namespaces/default/pods";
    private static final Pattern SERVING = Pattern.compile("as an extender on (http://\\S+)");

    DeployedReaders(Path folder, RoleServer server) {
        super(folder, server);
    }

    private RoleRights reader() {
        return new RoleRights(admin(), "ClusterRole", "policy-scheduler-reader");
    }

    @BeforeEach
    void createPolicy() {
        applyFolder("policy");
    }

    @Test
    void theExtenderAnswers() throws IOException, InterruptedException {
        applyOverlay("extender");
        Workload workload = workload("default-scheduler");
        workload.addNode("n0", "4");
        workload.addNode("n1", "16");
        Program program = start(DEPLOYMENTS + "policy-scheduler-extender", POD_TEMPLATE);
        program.awaitOutput("as an extender on ");
        Matcher url = SERVING.matcher(program.output());
        assertTrue(url.find(), program::output);
        awaitAllUsed(READER, reader(), Set.of());
        ObjectNode question = JSON.createObjectNode();
        question.set("Pod", workload.pod("web", "8"));
        question.putArray("NodeNames").add("n0").add("n1");
        HttpClient client = HttpClient.newHttpClient();
        HttpRequest request = HttpRequest.newBuilder(URI.create(url.group(1) + "/filter"))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(question.toString()))
                .build();
        JsonNode answer = JSON.readTree(
                client.send(request, HttpResponse.BodyHandlers.ofString()).body());
        assertEquals("[\"n1\"]", answer.path("NodeNames").toString(), answer::toString);
        assertAllAllowed(READER);
    }

    @Test
    void theShadowJudgesWhatAnotherSchedulerDoes() {
        applyOverlay("shadow");
        Workload workload = workload("another-scheduler");
        workload.addNode("n0", "4");
        Program program = start(DEPLOYMENTS + "policy-scheduler-shadow", POD_TEMPLATE);
        program.awaitOutput("watching");
        awaitAllUsed(READER, reader(), Set.of());
        workload.add(workload.pod("web", "1"));
        admin().create(
                        PODS + "/web/binding",
                        Manifest.json("{'apiVersion':'v1','kind':'Binding','metadata':{'name':'web'},"
                                + "'target':{'apiVersion':'v1','kind':'Node','name':'n0'}}"));
        program.awaitOutput("\"pod\":\"default/web\"");
        assertTrue(program.output().contains("\"kind\":\"same node\""), program::output);
        assertAllAllowed(READER);
    }

    @Test
    @Tag("long")
    void theAuditFindsAndEvictsNothing() {
        applyOverlay("audit");
        runs("misplaced");
        Program right = start(AUDIT, JOB_TEMPLATE);
        assertEquals(0, right.awaitEnd(), right::output);
        forbidTheNode();
        Program wrong = start(AUDIT, JOB_TEMPLATE);
        assertEquals(1, wrong.awaitEnd(), wrong::output);
        assertTrue(
                wrong.output().contains("\"pod\" : \"default/misplaced\"")
                        || wrong.output().contains("\"pod\": \"default/misplaced\""),
                wrong::output);
        assertTrue(admin().get(PODS + "/misplaced").has("spec"), "it is still there");
        awaitAllUsed(READER, reader(), watches(reader()));
        assertAllAllowed(READER);
    }

    @Test
    void theAuditThatEvictsDoes() {
        applyOverlay("audit-evict");
        runs("misplaced");
        // The node that the policy prefers.
        workload("").addNode("n1", "4");
        forbidTheNode();
        Program program = start(AUDIT, JOB_TEMPLATE);
        assertEquals(1, program.awaitEnd(), program::output);
        Await.until(
                Workload.PATIENCE,
                "it is evicted",
                () -> admin().get(PODS + "/misplaced").isMissingNode(),
                program::output);
        awaitAllUsed(EVICTOR, new RoleRights(admin(), "ClusterRole", "policy-scheduler-evictor"), Set.of());
        awaitAllUsed(EVICTOR, reader(), watches(reader()));
        assertAllAllowed(EVICTOR);
    }

    @Test
    void withoutTheRightToEvictThePodStaysAndTheRefusalIsTold() {
        applyOverlay("audit-evict");
        admin().kubectl("delete", "clusterrolebinding", "policy-scheduler-evictor");
        runs("misplaced");
        workload("").addNode("n1", "4");
        forbidTheNode();
        Program program = start(AUDIT, JOB_TEMPLATE);
        assertEquals(1, program.awaitEnd(), program::output);
        assertTrue(program.output().contains("cannot create resource \\\"pods/eviction\\\""), program::output);
        assertEquals(Set.of("create /pods/eviction"), refused(EVICTOR));
        assertTrue(admin().get(PODS + "/misplaced").has("spec"), "it is still there");
    }

    /** An audit lists and then ends; its role also has the rights of programs that watch. */
    private static Set<String> watches(RoleRights rights) {
        Set<String> watches = new TreeSet<>(rights.uses());
        watches.removeIf(use -> !use.contains(": watch "));
        return watches;
    }

    /** A pod that a controller keeps running on n0. */
    private void runs(String name) {
        Workload workload = workload("default-scheduler");
        workload.addNode("n0", "4");
        ObjectNode pod = workload.pod(name, "1");
        pod.withObject("/spec").put("nodeName", "n0");
        pod.withObject("/metadata")
                .putArray("ownerReferences")
                .addObject()
                .put("apiVersion", "apps/v1")
                .put("kind", "ReplicaSet")
                .put("name", "owner")
                .put("uid", "00000000-0000-4000-8000-000000000000")
                .put("controller", true);
        workload.add(pod);
        admin().patch(PODS + "/" + name + "/status", "{'status':{'phase':'Running'}}");
    }

    private void forbidTheNode() {
        admin().patch("/api/v1/nodes/n0", "{'spec':{'taints':[{'key':'gpu','effect':'NoSchedule'}]}}");
    }
}
