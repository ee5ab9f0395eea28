package io.policyscheduler.tests.deploy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.tests.e2e.Await;
import io.policyscheduler.tests.e2e.Manifest;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** Pods and volumes that cause every kind of write of the scheduler: binds, failures, repeated events, preemption, and volumes. */
final class Workload {
    static final Duration PATIENCE = Duration.ofSeconds(40);

    private static final String PODS = "/api/v1/namespaces/default/pods";
    private static final String CLAIMS = "/api/v1/namespaces/default/persistentvolumeclaims";
    private static final String VOLUMES = "/api/v1/persistentvolumes";
    private static final String NODES = "/api/v1/nodes";

    private final Admin admin;
    private final String scheduler;
    private final Supplier<String> state;

    /**
     * @param scheduler name in the pods
     * @param state for failure messages
     */
    Workload(Admin admin, String scheduler, Supplier<String> state) {
        this.admin = admin;
        this.scheduler = scheduler;
        this.state = state;
    }

    void addNode(String name, String cpu) {
        ObjectNode node = Manifest.node(name, cpu);
        admin.create(NODES, node);
        ObjectNode status = Manifest.json("{}");
        status.set("status", node.path("status"));
        admin.patch(NODES + "/" + name + "/status", status.toString());
    }

    /** Creates what {@link #schedulesEverything} needs besides the pods. */
    void prepare() {
        addNode("n0", "4");
        admin.create(
                "/apis/scheduling.k8s.io/v1/priorityclasses",
                Manifest.priorityClass("scheduling.k8s.io/v1", "high", 1000));
        storage("local", "kubernetes.io/no-provisioner");
        storage("fast", "example.com/fake");
        admin.create(VOLUMES, volume("disk", "local"));
        admin.patch(VOLUMES + "/disk/status", "{'status':{'phase':'Available'}}");
    }

    private void storage(String name, String provisioner) {
        admin.create(
                "/apis/storage.k8s.io/v1/storageclasses",
                Manifest.json("{'apiVersion':'storage.k8s.io/v1','kind':'StorageClass','metadata':{'name':'" + name
                        + "'},'provisioner':'" + provisioner + "','volumeBindingMode':'WaitForFirstConsumer'}"));
        admin.create(
                CLAIMS,
                Manifest.json("{'apiVersion':'v1','kind':'PersistentVolumeClaim','metadata':{'name':'" + name
                        + "','namespace':'default'},'spec':{'accessModes':['ReadWriteOnce'],'storageClassName':'" + name
                        + "','resources':{'requests':{'storage':'1Gi'}}}}"));
    }

    private static ObjectNode volume(String name, String storageClass) {
        return Manifest.json("{'apiVersion':'v1','kind':'PersistentVolume','metadata':{'name':'" + name
                + "'},'spec':{'capacity':{'storage':'1Gi'},'accessModes':['ReadWriteOnce'],'storageClassName':'"
                + storageClass + "','persistentVolumeReclaimPolicy':'Delete','local':{'path':'/mnt'},"
                + "'nodeAffinity':{'required':{'nodeSelectorTerms':[{'matchExpressions':[{'key':'name',"
                + "'operator':'In','values':['n0']}]}]}}}}");
    }

    ObjectNode pod(String name, String cpu) {
        return Manifest.podOf(scheduler, name, cpu);
    }

    void add(ObjectNode pod) {
        admin.create(PODS, pod);
    }

    /** Returns a pod that mounts a claim. */
    ObjectNode podWith(String claim) {
        return Manifest.withClaim(pod("with-" + claim, "100m"), claim);
    }

    /** Returns a pod with a higher priority. */
    ObjectNode urgent(String cpu) {
        ObjectNode pod = pod("urgent", cpu);
        pod.withObject("/spec").put("priorityClassName", "high");
        return pod;
    }

    String nodeOf(String pod) {
        return admin.get(PODS + "/" + pod).at("/spec/nodeName").asText();
    }

    boolean isUnschedulable(String pod) {
        for (JsonNode condition : admin.get(PODS + "/" + pod).at("/status/conditions")) {
            if (condition.path("type").asText().equals("PodScheduled")) {
                return condition.path("status").asText().equals("False");
            }
        }
        return false;
    }

    /** Returns the first event about a pod with that reason; a missing node if there is none. */
    JsonNode event(String pod, String reason) {
        return events(pod, reason).findFirst().orElse(MissingNode.getInstance());
    }

    private Stream<JsonNode> events(String pod, String reason) {
        JsonNode items = admin.get("/api/v1/namespaces/default/events").path("items");
        return StreamSupport.stream(items.spliterator(), false)
                .filter(event -> event.at("/involvedObject/name").asText().equals(pod)
                        && event.path("reason").asText().equals(reason));
    }

    void await(String what, BooleanSupplier condition) {
        Await.until(PATIENCE, what, condition, state);
    }

    void awaitBound(String pod) {
        await("pod " + pod + " is bound", () -> nodeOf(pod).equals("n0"));
    }

    void schedulesEverything() {
        add(podWith("local"));
        await(
                "the volume is promised to the claim",
                () -> admin.get(VOLUMES + "/disk")
                        .at("/spec/claimRef/name")
                        .asText()
                        .equals("local"));
        bindClaim("local", "disk");
        awaitBound("with-local");
        add(podWith("fast"));
        await(
                "a node is chosen for the volume",
                () -> admin.get(CLAIMS + "/fast")
                        .at("/metadata/annotations/volume.kubernetes.io~1selected-node")
                        .asText()
                        .equals("n0"));
        provision("fast");
        awaitBound("with-fast");
        add(pod("low", "3"));
        awaitBound("low");
        add(urgent("3"));
        awaitBound("urgent");
        await("its event", () -> !event("urgent", "Scheduled").isMissingNode());
        await("the event of the victim", () -> !event("low", "Preempted").isMissingNode());
        add(pod("huge", "64"));
        await("the pod that fits nowhere is marked", () -> isUnschedulable("huge"));
        // A change of the node causes another attempt with the same result.
        AtomicInteger changes = new AtomicInteger();
        await("an event is counted up", () -> {
            admin.patch(NODES + "/n0", "{'metadata':{'labels':{'change':'" + changes.incrementAndGet() + "'}}}");
            // The first attempt changes the pod, so another event is the one that is repeated.
            return events("huge", "FailedScheduling")
                    .anyMatch(event -> event.at("/series/count").asInt() > 1);
        });
    }

    private void provision(String claim) {
        JsonNode found = admin.get(CLAIMS + "/" + claim);
        ObjectNode volume = volume("pv-" + claim, claim);
        volume.withObject("/spec/claimRef")
                .put("kind", "PersistentVolumeClaim")
                .put("apiVersion", "v1")
                .put("namespace", "default")
                .put("name", claim)
                .set("uid", found.at("/metadata/uid"));
        admin.create(VOLUMES, volume);
        bindClaim(claim, "pv-" + claim);
    }

    /** Provisions and binds volumes, as the volume controller does. */
    private void bindClaim(String claim, String volume) {
        admin.patch(VOLUMES + "/" + volume + "/status", "{'status':{'phase':'Bound'}}");
        admin.patch(
                CLAIMS + "/" + claim,
                "{'metadata':{'annotations':{'pv.kubernetes.io/bind-completed':'yes'}},'spec':{'volumeName':'" + volume
                        + "'}}");
        admin.patch(CLAIMS + "/" + claim + "/status", "{'status':{'phase':'Bound'}}");
    }
}
