package io.policyscheduler.tests.faults;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.tests.e2e.FakeVolumeController;
import io.policyscheduler.tests.e2e.Manifest;
import java.util.List;

/**
 * Claims on volumes: immediate and delayed binding, provisioning, limits, missing objects. In no step can the scheduler choose between equal nodes.
 */
final class StorageScenario {
    private static final String CLAIMS = "/api/v1/namespaces/default/persistentvolumeclaims/";
    private static final String DRIVER = "csi.example.com";

    private final FaultServer server;
    private final ScenarioSteps steps;

    StorageScenario(FaultServer server) {
        this.server = server;
        this.steps = new ScenarioSteps(server);
    }

    /** Takes all steps. Returns the state after each one. */
    List<String> run() {
        server.load(FakeVolumeController.storageClass("late", "kubernetes.io/no-provisioner"));
        server.load(FakeVolumeController.storageClass("made", DRIVER));
        ObjectNode now = FakeVolumeController.storageClass("now", "kubernetes.io/no-provisioner");
        server.load(now.put("volumeBindingMode", "Immediate"));
        server.load(Manifest.json("{'apiVersion':'storage.k8s.io/v1','kind':'CSIDriver','metadata':{'name':'" + DRIVER
                + "'},'spec':{'storageCapacity':true,'attachRequired':false}}"));
        server.load(ScenarioSteps.node("n0", "4", "{}"));
        server.load(ScenarioSteps.node("n1", "4", "{}"));
        late();
        immediate();
        going();
        provisioned();
        counted();
        return steps.lines();
    }

    private void pod(String name, String claim) {
        server.load(Manifest.withClaim(Manifest.pod(name, "100m"), claim));
    }

    private void late() {
        pod("w", "w");
        steps.step("a pod waits for its claim", () -> steps.waits("w"));
        server.load(FakeVolumeController.claim("w", "late"));
        steps.step("the claim waits for a volume", () -> steps.says("w", "find available persistent volumes"));
        available("v-w", "n1");
        // A pod that was tried with a volume that is not available yet is
        // not tried again by the real scheduler for long.
        steps.merge("/api/v1/persistentvolumes/v-w", "{'metadata':{'annotations':{'example.com/looked-at':'yes'}}}");
        steps.step("which is on one node only", () -> steps.isBound("w") && steps.hasVolume("w"));
        server.load(Manifest.withClaim(Manifest.podWithSelector("w2", "100m", "name", "n0"), "w"));
        steps.step(
                "another pod cannot use it elsewhere",
                () -> steps.waits("w2") && steps.says("w2", "PersistentVolume's node affinity"));
        steps.delete("w2");
        steps.awaitGone("w2");
    }

    /** Returns a volume that can be bound to a claim. */
    private void available(String name, String node) {
        server.load(FakeVolumeController.localVolume(name, node, "late"));
        steps.await(
                name + " is available",
                () -> server.get("persistentvolumes", "", name)
                        .filter(volume ->
                                volume.path("status").path("phase").asText().equals("Available"))
                        .isPresent());
    }

    private void immediate() {
        server.load(FakeVolumeController.claim("i", "now"));
        pod("i", "i");
        // Events of different watches may arrive in any order, and the state is recorded again after all have arrived.
        steps.step(
                "a claim should have been bound by now",
                () -> steps.waits("i") && steps.says("i", "unbound immediate"));
        ObjectNode volume = FakeVolumeController.localVolume("v-i", "n0", "now");
        volume.withObject("/spec/claimRef")
                .put("apiVersion", "v1")
                .put("kind", "PersistentVolumeClaim")
                .put("namespace", "default")
                .put("name", "i");
        server.load(volume);
        steps.step("its volume comes", () -> steps.isBound("i") && steps.hasVolume("i"));
    }

    private void going() {
        ObjectNode claim = FakeVolumeController.claim("g", "late");
        claim.withObject("/metadata").putArray("finalizers").add("example.com/keep");
        server.load(claim);
        steps.call("DELETE", CLAIMS + "g", "application/json", "");
        pod("g", "g");
        steps.step("a claim is being deleted", () -> steps.waits("g") && steps.says("g", "being deleted"));
        steps.merge(CLAIMS + "g", "{'metadata':{'finalizers':null}}");
        steps.await(
                "g is gone",
                () -> server.get("persistentvolumeclaims", "default", "g").isEmpty());
        available("v-g", "n0");
        server.load(FakeVolumeController.claim("g", "late"));
        steps.step("and made anew", () -> steps.isBound("g") && steps.hasVolume("g"));
    }

    /** A provisioner creates volumes where there is capacity for them. */
    private void provisioned() {
        server.load(FakeVolumeController.claim("p", "made"));
        pod("p", "p");
        steps.step(
                "nobody knows of room for a volume", () -> steps.waits("p") && steps.says("p", "enough free storage"));
        server.load(
                Manifest.json(
                        "{'apiVersion':'storage.k8s.io/v1','kind':'CSIStorageCapacity','metadata':{'name':'of-n1','namespace':'default'},"
                                + "'storageClassName':'made','capacity':'512Mi','nodeTopology':{'matchLabels':{'name':'n1'}}}"));
        server.load(Manifest.pod("marker", "100m"));
        steps.step("there is, but too little", () -> steps.isBound("marker") && steps.waits("p"));
        steps.delete("marker");
        steps.awaitGone("marker");
        steps.merge("/apis/storage.k8s.io/v1/namespaces/default/csistoragecapacities/of-n1", "{'capacity':'5Gi'}");
        steps.step(
                "enough, so that a node is chosen",
                () -> steps.annotation("persistentvolumeclaims", "p", "volume.kubernetes.io/selected-node")
                        .equals("n1"));
        ObjectNode claim = server.get("persistentvolumeclaims", "default", "p").orElseThrow();
        ObjectNode volume = csiVolume("v-p", "p");
        volume.withObject("/spec/claimRef")
                .put("uid", claim.path("metadata").path("uid").asText());
        volume.withObject("/spec").put("storageClassName", "made");
        server.load(volume);
        steps.step("and the volume made", () -> steps.isBound("p") && steps.hasVolume("p"));
    }

    private static ObjectNode csiVolume(String name, String claim) {
        ObjectNode volume = FakeVolumeController.localVolume(name, "n1", "now");
        ObjectNode spec = (ObjectNode) volume.path("spec");
        spec.remove("local");
        spec.putObject("csi").put("driver", DRIVER).put("volumeHandle", name);
        spec.putObject("claimRef")
                .put("apiVersion", "v1")
                .put("kind", "PersistentVolumeClaim")
                .put("namespace", "default")
                .put("name", claim);
        return volume;
    }

    /** A node can have two volumes of the driver and has one. */
    private void counted() {
        csiNode("2");
        for (String name : List.of("x0", "x1")) {
            server.load(csiVolume("v-" + name, name));
            server.load(FakeVolumeController.claim(name, "now"));
            steps.await(name + " has its volume", () -> steps.hasVolume(name));
        }
        pod("x0", "x0");
        steps.await("x0 is placed", () -> steps.isBound("x0"));
        pod("x1", "x1");
        steps.step(
                "a node has as many volumes as it can",
                () -> steps.waits("x1") && steps.says("x1", "max volume count"));
        steps.delete("x0");
        steps.step("until one goes", () -> steps.isBound("x1"));
    }

    private void csiNode(String count) {
        server.load(Manifest.json(
                "{'apiVersion':'storage.k8s.io/v1','kind':'CSINode','metadata':{'name':'n1'},'spec':{'drivers':[{"
                        + "'name':'" + DRIVER + "','nodeID':'n1','topologyKeys':[],'allocatable':{'count':" + count
                        + "}}]}}"));
    }
}
