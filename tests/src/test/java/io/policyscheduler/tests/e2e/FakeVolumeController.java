package io.policyscheduler.tests.e2e;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.EmbeddedControlPlane;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * The part of kube-controller-manager that delayed volume binding needs: it provisions a volume for a claim with a selected node, and binds a claim
 * to the volume that refers to it.
 */
public final class FakeVolumeController implements AutoCloseable {
    private static final long PERIOD_MILLIS = 20;
    private static final String SELECTED_NODE = "volume.kubernetes.io/selected-node";

    private final EmbeddedControlPlane cluster;
    private final ApiCalls api;
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final ScheduledFuture<?> runs;
    private final boolean provisions;
    private final List<String> provisioned = new CopyOnWriteArrayList<>();

    /** Returns a controller that also provisions volumes. */
    FakeVolumeController(EmbeddedControlPlane cluster, ApiCalls api) {
        this(cluster, api, true);
    }

    /** Returns a controller that only binds. */
    public static FakeVolumeController binding(EmbeddedControlPlane cluster) {
        return new FakeVolumeController(cluster, new ApiCalls(cluster.url()), false);
    }

    private FakeVolumeController(EmbeddedControlPlane cluster, ApiCalls api, boolean provisions) {
        this.provisions = provisions;
        this.cluster = cluster;
        this.api = api;
        this.runs = timer.scheduleWithFixedDelay(this::run, 0, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** Returns the provisioned volumes as {@code claim on node}. */
    List<String> provisioned() {
        return List.copyOf(provisioned);
    }

    /** Returns whether it has failed. */
    boolean isBroken() {
        return runs.isDone();
    }

    private void run() {
        for (ObjectNode claim : cluster.list("persistentvolumeclaims")) {
            if (!claim.path("spec").path("volumeName").asText("").isEmpty()) {
                continue;
            }
            String name = claim.path("metadata").path("name").asText();
            String volume = volumeFor(name);
            String node = claim.path("metadata")
                    .path("annotations")
                    .path(SELECTED_NODE)
                    .asText("");
            if (provisions && volume.isEmpty() && !node.isEmpty()) {
                volume = "pv-" + name;
                provisioned.add(name + " on " + node);
                api.post("/api/v1/persistentvolumes", volume(volume, node, claim));
            }
            if (!volume.isEmpty()) {
                api.mergePatch(
                        "/api/v1/namespaces/default/persistentvolumeclaims/" + name,
                        "{'metadata':{'annotations':{'pv.kubernetes.io/bind-completed':'yes'}},'spec':{'volumeName':'"
                                + volume + "'},'status':{'phase':'Bound'}}");
            }
        }
    }

    private String volumeFor(String claim) {
        for (ObjectNode volume : cluster.list("persistentvolumes")) {
            if (volume.path("spec").path("claimRef").path("name").asText().equals(claim)) {
                return volume.path("metadata").path("name").asText();
            }
        }
        return "";
    }

    private static ObjectNode volume(String name, String node, JsonNode claim) {
        ObjectNode volume = localVolume(
                name, node, claim.path("spec").path("storageClassName").asText());
        volume.withObject("/spec/claimRef")
                .put("kind", "PersistentVolumeClaim")
                .put("apiVersion", "v1")
                .put("namespace", "default")
                .put("name", claim.path("metadata").path("name").asText())
                .put("uid", claim.path("metadata").path("uid").asText());
        return volume;
    }

    /** Returns a volume with node affinity for one node. */
    public static ObjectNode localVolume(String name, String node, String storageClass) {
        return Manifest.json("{'apiVersion':'v1','kind':'PersistentVolume','metadata':{'name':'" + name
                + "'},'spec':{'capacity':{'storage':'1Gi'},'accessModes':['ReadWriteOnce'],'storageClassName':'"
                + storageClass + "','persistentVolumeReclaimPolicy':'Delete','local':{'path':'/mnt'},"
                + "'nodeAffinity':{'required':{'nodeSelectorTerms':[{'matchExpressions':[{'key':'name',"
                + "'operator':'In','values':['" + node + "']}]}]}}},'status':{'phase':'Available'}}");
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }

    /** Returns a class with WaitForFirstConsumer. */
    public static ObjectNode storageClass(String name, String provisioner) {
        return Manifest.json("{'apiVersion':'storage.k8s.io/v1','kind':'StorageClass','metadata':{'name':'" + name
                + "'},'provisioner':'" + provisioner + "','volumeBindingMode':'WaitForFirstConsumer'}");
    }

    /** Returns a claim for 1 Gi. */
    public static ObjectNode claim(String name, String storageClass) {
        return Manifest.json("{'apiVersion':'v1','kind':'PersistentVolumeClaim','metadata':{'name':'" + name
                + "','namespace':'default'},'spec':{'accessModes':['ReadWriteOnce'],'storageClassName':'"
                + storageClass + "','resources':{'requests':{'storage':'1Gi'}}},'status':{'phase':'Pending'}}");
    }

    static ObjectNode podWithClaim(String name, String claim) {
        return Manifest.withClaim(Manifest.pod(name, "100m"), claim);
    }
}
