package io.policyscheduler.tests.faults;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.tests.e2e.Manifest;
import java.util.List;

/** Pods that request devices, by templates and by a shared claim. In no step can the scheduler choose between equal nodes. */
final class ClaimScenario {
    private final FaultServer server;
    private final ScenarioSteps steps;

    ClaimScenario(FaultServer server) {
        this.server = server;
        this.steps = new ScenarioSteps(server);
    }

    /** Takes all steps. Returns the state after each one. */
    List<String> run() {
        server.load(Manifest.json(
                "{'apiVersion':'resource.k8s.io/v1','kind':'DeviceClass','metadata':{'name':'gpu'}," + "'spec':{}}"));
        templates();
        sharing();
        return steps.lines();
    }

    /** A node and its devices. */
    private void devices(String node, String devices) {
        server.load(
                Manifest.json("{'apiVersion':'resource.k8s.io/v1','kind':'ResourceSlice','metadata':{'name':'of-" + node
                        + "'},'spec':{'driver':'gpu.example.com','nodeName':'" + node + "','pool':{'name':'" + node
                        + "','generation':1,'resourceSliceCount':1},'devices':" + devices + "}}"));
        server.load(ScenarioSteps.node(node, "4", "{}"));
    }

    private void pod(String name, String node, String entry) {
        ObjectNode pod = Manifest.podWithSelector(name, "100m", "name", node);
        ((ObjectNode) pod.path("spec")).putArray("resourceClaims").add(Manifest.json("{'name':'k'," + entry + "}"));
        server.load(pod);
    }

    private void templates() {
        devices("n0", "[{'name':'a'},{'name':'b'}]");
        server.load(Manifest.json(
                "{'apiVersion':'resource.k8s.io/v1','kind':'ResourceClaimTemplate','metadata':{'name':'one',"
                        + "'namespace':'default'},'spec':{'spec':{'devices':{'requests':[{'name':'r','exactly':{"
                        + "'deviceClassName':'gpu'}}]}}}}"));
        pod("c0", "n0", "'resourceClaimTemplateName':'one'");
        steps.step("a pod gets a device", () -> steps.isBound("c0"));
        pod("c1", "n0", "'resourceClaimTemplateName':'one'");
        steps.step("another one gets the other device", () -> steps.isBound("c1"));
        pod("c2", "n0", "'resourceClaimTemplateName':'one'");
        steps.step("a third one waits", () -> steps.waits("c2"));
        steps.delete("c0");
        steps.step(
                "and gets the device of the first when that is gone",
                () -> steps.isBound("c2") && steps.claims().size() == 2);
    }

    private void sharing() {
        devices("n1", "[{'name':'x'}]");
        server.load(
                Manifest.json("{'apiVersion':'resource.k8s.io/v1','kind':'ResourceClaim','metadata':{'name':'shared',"
                        + "'namespace':'default'},'spec':{'devices':{'requests':[{'name':'r','exactly':{"
                        + "'deviceClassName':'gpu'}}]}}}"));
        pod("s0", "n1", "'resourceClaimName':'shared'");
        steps.step("a claim gets the device for a pod", () -> steps.isBound("s0"));
        pod("s1", "n1", "'resourceClaimName':'shared'");
        steps.step("and another pod may use it", () -> steps.isBound("s1"));
        steps.delete("s0");
        steps.step("which keeps it when the first is gone", () -> users() == 1);
        steps.delete("s1");
        steps.step("until nobody uses it", () -> users() == 0 && isFree());
        pod("s2", "n1", "'resourceClaimTemplateName':'one'");
        steps.step("then somebody else gets the device", () -> steps.isBound("s2"));
        pod("s3", "n1", "'resourceClaimName':'shared'");
        steps.step("and the claim waits for it", () -> steps.waits("s3"));
        steps.delete("s2");
        steps.step(
                "until it is free", () -> steps.isBound("s3") && steps.claims().size() == 3);
    }

    private ObjectNode shared() {
        return server.get("resourceclaims", "default", "shared").orElseThrow();
    }

    private int users() {
        return shared().path("status").path("reservedFor").size();
    }

    /** Removes the allocation first, then the finalizer. */
    private boolean isFree() {
        return !shared().path("status").has("allocation")
                && shared().path("metadata").path("finalizers").isEmpty();
    }
}
